/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many files we may have open. */
#ifndef BASE_OPEN_LIMIT_H
#define BASE_OPEN_LIMIT_H

#include <stddef.h>

#include "base/err.h"

/* As many as the hard limit allows: events of threads on many CPUs, links of probes and kept files
 * are a descriptor each. What is forked before keeps the limit that it would have without us. */
void open_limit_raise(void);

/* -EMFILE, and what to raise to how much, where the hard limit is less than @needed. @act: what
 * they are for ("recording on 8 CPUs"). */
int open_limit_check(size_t needed, const char *act, struct err *err);

/* The same text for @rc where it is -EMFILE; where it is -ENFILE, the limit of the whole system is
 * named. Any other @rc leaves @err alone. Returns @rc. */
int open_limit_explain(int rc, size_t needed, const char *act, struct err *err);

#endif
