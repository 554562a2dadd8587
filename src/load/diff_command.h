/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profiled command of one side of a comparison, and its names. */
#ifndef LOAD_DIFF_COMMAND_H
#define LOAD_DIFF_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "aggregate/keys.h"
#include "base/err.h"
#include "store/store.h"

/* True if a command was profiled, which can be compared alone. Errors of reading. */
int diff_command_is_known(struct store_reader *store, bool *ret_is_known, struct err *err);
/* Visits the points sampled in the command or its children, as many at once as are adjacent. */
void diff_command_each(const struct profile *profile, const struct point *points, size_t count,
		       void (*visit)(void *context, const struct point *points, size_t count),
		       void *context);

/* The process that the command became last; 0: none. */
uint32_t diff_command_process(const struct profile *profile);
/* The image of its executable: the file named like the process; of several, the one with most of
 * the process's weight in @rows. 0: unknown. */
uint32_t diff_command_image(const struct profile *profile, const struct total *rows, size_t count);

#endif
