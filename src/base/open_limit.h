/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of open files. */
#ifndef BASE_OPEN_LIMIT_H
#define BASE_OPEN_LIMIT_H

#include <stddef.h>

#include "base/err.h"

/* Raises the limit to the hard limit: events of threads on many CPUs, links of probes and kept
 * files need a descriptor each. Processes forked before keep the limit they would have without
 * us. */
void open_limit_raise(void);

/* -EMFILE, with what to raise and to how much in @err, if the hard limit is less than @needed;
 * else 0. @act: what needs the files ("recording on 8 CPUs"). */
int open_limit_check(size_t needed, const char *act, struct err *err);

/* How many files may be open besides @used others; 0: fewer than those. */
size_t open_limit_rest(size_t used);

/* Sets the same text if @rc is -EMFILE, and names the system-wide limit if @rc is -ENFILE. Any
 * other @rc leaves @err alone. Returns @rc. */
int open_limit_explain(int rc, size_t needed, const char *act, struct err *err);

#endif
