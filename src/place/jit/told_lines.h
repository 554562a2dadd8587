/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds lines of JIT code in the profile (profile.lines) by place. */
#ifndef PLACE_JIT_TOLD_LINES_H
#define PLACE_JIT_TOLD_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"

/* Zero-initialised is empty. */
struct told_lines {
	VEC(uint32_t) rows; /* of profile.lines, sorted by image and place */
	size_t known;	    /* number of the profile's rows already in it */
};

void told_lines_done(struct told_lines *lines);

/* The line at a place of an image, as frame.offset; NULL: none. Borrowed from the profile. */
const struct told_line *told_lines_find(struct told_lines *lines, const struct profile *profile,
					uint32_t image, uint64_t place);
/* The lines that overlap [start, end) of an image, ascending: rows of profile.lines, borrowed until
 * the next call. */
const uint32_t *told_lines_within(struct told_lines *lines, const struct profile *profile,
				  uint32_t image, uint64_t start, uint64_t end, size_t *ret_count);

#endif
