/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was profiled on one side of a comparison: the command, and what it is called. */
#ifndef PIPELINE_DIFF_COMMAND_H
#define PIPELINE_DIFF_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "aggregate/keys.h"
#include "base/err.h"
#include "store/store.h"

/* Was a command profiled, so that it alone may be compared? Errors of reading. */
int diff_command_is_known(struct store_reader *store, bool *ret_is_known, struct err *err);
/* How many of these points follow each other that were sampled in the command or in one of its
 * children, from *ret_first on. 0: no more. */
size_t diff_command_stretch(const struct profile *profile, const struct point *points, size_t count,
			    size_t *ret_first);

/* The process the command became last; 0: there is none. */
uint32_t diff_command_process(const struct profile *profile);
/* The path of its executable; NULL: not known. */
const char *diff_command_image(const struct profile *profile);

#endif
