/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrows beside a listing, from each branch to its target: lanes of characters, short jumps next to
 * the code. */
#ifndef ANNOTATE_JUMP_LANES_H
#define ANNOTATE_JUMP_LANES_H

#include <stddef.h>

#include "base/buf.h"

enum { JUMP_LANES_MOST = 6 }; /* jumps that find no free lane are omitted */

struct jump {
	size_t from, to; /* rows */
};

struct jump_lanes;

/* Sorts and borrows @jumps. */
struct jump_lanes *jump_lanes_new(struct jump *jumps, size_t count);
void jump_lanes_free(struct jump_lanes *lanes); /* NULL is fine */

/* Appends the same number of characters for every row; none if there are no jumps. */
void jump_lanes_draw(const struct jump_lanes *lanes, size_t row, struct buf *text);

#endif
