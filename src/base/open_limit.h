/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many files we may have open. */
#ifndef BASE_OPEN_LIMIT_H
#define BASE_OPEN_LIMIT_H

/* As many as the hard limit allows: events of threads on many CPUs, links of probes and kept files
 * are a descriptor each. What is forked before keeps the limit that it would have without us. */
void open_limit_raise(void);

#endif
