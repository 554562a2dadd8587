/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/interval_map.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/search.h"

void interval_map_add(struct interval_map *map, uint64_t start, uint64_t end, uint32_t value)
{
	if (end > start)
		*vec_push(&map->intervals) = (struct interval_range){ start, end, value };
}

/* Outer intervals first: earlier start, then later end, then lower value. */
DEFINE_ORDER(by_place, struct interval_range,
	     COMPARE(a->start, b->start) ?: COMPARE(b->end, a->end) ?:
	     COMPARE(a->value, b->value))

static void emit(struct interval_map *map, uint64_t start, uint32_t value)
{
	size_t count = map->pieces.count;
	struct interval_piece *last = count ? &map->pieces.items[count - 1] : NULL;

	if (last && last->start == start) {
		last->value = value;
		if (count > 1 && last[-1].value == value)
			map->pieces.count--;
	} else if (last ? last->value != value : value != INTERVAL_NONE) {
		*vec_push(&map->pieces) = (struct interval_piece){ start, value };
	}
}

struct open_intervals {
	VEC(struct interval_range) stack; /* innermost last */
};

/* Closes the intervals that end before @start. After each, the interval still open around it goes
 * on. */
static void close_until(struct interval_map *map, struct open_intervals *open, uint64_t start)
{
	while (open->stack.count > 0) {
		struct interval_range top = open->stack.items[open->stack.count - 1];
		size_t below = open->stack.count - 1;

		if (top.end > start)
			return;
		/* overlapping ranges that are not nested may have ended meanwhile */
		while (below > 0 && open->stack.items[below - 1].end <= top.end)
			below--;
		emit(map, top.end, below ? open->stack.items[below - 1].value : INTERVAL_NONE);
		open->stack.count = below;
	}
}

void interval_map_flatten(struct interval_map *map)
{
	struct open_intervals open = { 0 };

	if (map->intervals.count > 0)
		qsort(map->intervals.items, map->intervals.count, sizeof(struct interval_range),
		      by_place);
	for (size_t i = 0; i < map->intervals.count; i++) {
		const struct interval_range *interval = &map->intervals.items[i];

		close_until(map, &open, interval->start);
		emit(map, interval->start, interval->value);
		*vec_push(&open.stack) = *interval;
	}
	close_until(map, &open, UINT64_MAX);
	vec_free(&open.stack);
	vec_free(&map->intervals);
}

uint32_t interval_map_find(const struct interval_map *map, uint64_t address)
{
	size_t before =
		search_before(map->pieces.items, map->pieces.count, item, item->start <= address);

	return before ? map->pieces.items[before - 1].value : INTERVAL_NONE;
}

void interval_map_done(struct interval_map *map)
{
	vec_free(&map->intervals);
	vec_free(&map->pieces);
}
