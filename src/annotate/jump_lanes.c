/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/jump_lanes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"

/* A drawn jump. */
struct drawn {
	size_t first, last; /* rows */
	size_t from, to;
};

struct jump_lanes {
	VEC(struct drawn) lanes[JUMP_LANES_MOST]; /* 0: next to the code; by row */
	size_t used;
};

static size_t reach(const struct jump *jump)
{
	return jump->from < jump->to ? jump->to - jump->from : jump->from - jump->to;
}

DEFINE_ORDER(by_reach, struct jump, COMPARE(reach(a), reach(b)) ?: COMPARE(a->from, b->from))

static struct drawn make(const struct jump *jump)
{
	return (struct drawn){ .first = jump->from < jump->to ? jump->from : jump->to,
			       .last = jump->from < jump->to ? jump->to : jump->from,
			       .from = jump->from,
			       .to = jump->to };
}

/* The first jump of the lane that does not end before the row. */
static size_t seek(const struct jump_lanes *lanes, size_t lane, size_t row)
{
	return search_before(lanes->lanes[lane].items, lanes->lanes[lane].count, item,
			     item->last < row);
}

static bool put(struct jump_lanes *lanes, size_t lane, const struct drawn *drawn)
{
	size_t at = seek(lanes, lane, drawn->first);
	size_t count = lanes->lanes[lane].count;

	if (at < count && lanes->lanes[lane].items[at].first <= drawn->last)
		return false;
	vec_push(&lanes->lanes[lane]);
	memmove(&lanes->lanes[lane].items[at + 1], &lanes->lanes[lane].items[at],
		(count - at) * sizeof(*drawn));
	lanes->lanes[lane].items[at] = *drawn;
	return true;
}

struct jump_lanes *jump_lanes_new(struct jump *jumps, size_t count)
{
	struct jump_lanes *lanes = xcalloc(1, sizeof(*lanes));

	if (count)
		qsort(jumps, count, sizeof(*jumps), by_reach);
	for (size_t i = 0; i < count; i++) {
		struct drawn drawn = make(&jumps[i]);
		size_t lane = 0;

		while (lane < JUMP_LANES_MOST && !put(lanes, lane, &drawn))
			lane++;
		if (lane < JUMP_LANES_MOST && lane >= lanes->used)
			lanes->used = lane + 1;
	}
	return lanes;
}

void jump_lanes_free(struct jump_lanes *lanes)
{
	if (!lanes)
		return;
	for (size_t i = 0; i < JUMP_LANES_MOST; i++)
		vec_free(&lanes->lanes[i]);
	free(lanes);
}

/* NULL: this lane is free on the row. */
static const struct drawn *on_row(const struct jump_lanes *lanes, size_t lane, size_t row)
{
	size_t at = seek(lanes, lane, row);

	if (at == lanes->lanes[lane].count || lanes->lanes[lane].items[at].first > row)
		return NULL;
	return &lanes->lanes[lane].items[at];
}

static char corner(const struct drawn *drawn, size_t row)
{
	if (drawn->first == drawn->last)
		return 'o'; /* to itself */
	return row == drawn->first ? '/' : '\\';
}

/* Draws from the outermost lane to the code. From a jump that begins or ends on the row, a line
 * crosses the other lanes to the code. */
void jump_lanes_draw(const struct jump_lanes *lanes, size_t row, struct buf *text)
{
	bool touches = false, arrives = false;

	if (!lanes->used)
		return;
	for (size_t lane = lanes->used; lane-- > 0;) {
		const struct drawn *drawn = on_row(lanes, lane, row);
		bool ends = drawn && (row == drawn->from || row == drawn->to);

		if (ends)
			buf_add_char(text, touches ? '+' : corner(drawn, row));
		else if (drawn)
			buf_add_char(text, touches ? '+' : '|');
		else
			buf_add_char(text, touches ? '-' : ' ');
		touches |= ends;
		arrives |= drawn && row == drawn->to;
	}
	buf_add_char(text, arrives ? '>' : touches ? '-' : ' ');
	buf_add_char(text, ' ');
}
