/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was profiled on one side of a comparison: the command, and what it is called. */
#ifndef LOAD_DIFF_COMMAND_H
#define LOAD_DIFF_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "aggregate/keys.h"
#include "base/err.h"
#include "store/store.h"

/* Was a command profiled, so that it alone may be compared? Errors of reading. */
int diff_command_is_known(struct store_reader *store, bool *ret_is_known, struct err *err);
/* Visits those of the points that were sampled in the command or in one of its children, as many at
 * once as follow each other. */
void diff_command_each(const struct profile *profile, const struct point *points, size_t count,
		       void (*visit)(void *context, const struct point *points, size_t count),
		       void *context);

/* The process the command became last; 0: there is none. */
uint32_t diff_command_process(const struct profile *profile);
/* The image of its executable: the file that is called as the process is, and where several are, the
 * one that most of the process's weight in @rows was in. 0: not known. */
uint32_t diff_command_image(const struct profile *profile, const struct total *rows, size_t count);

#endif
