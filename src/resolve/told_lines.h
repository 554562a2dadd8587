/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of code that was made at run time, which are in the profile itself (profile.lines), by
 * place. */
#ifndef RESOLVE_TOLD_LINES_H
#define RESOLVE_TOLD_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"

/* Zeroes: nothing was asked yet. */
struct told_lines {
	VEC(struct told_line) rows; /* sorted */
	size_t known;		    /* of the rows of the profile */
};

void told_lines_done(struct told_lines *lines);

/* The line at a place of an image, as frame.offset; NULL: none. Borrowed until the profile has
 * more. */
const struct told_line *told_lines_find(struct told_lines *lines, const struct profile *profile,
					uint32_t image, uint64_t place);
/* All lines of an image, ascending; the same. */
const struct told_line *told_lines_of(struct told_lines *lines, const struct profile *profile,
				      uint32_t image, size_t *ret_count);

#endif
