/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flattens ranges of addresses that may be nested, to find the innermost one around an address. Add
 * all ranges, flatten once, then search.
 */
#ifndef DWARF_INTERVAL_MAP_H
#define DWARF_INTERVAL_MAP_H

#include <stdint.h>

#include "base/vec.h"

#define INTERVAL_NONE UINT32_MAX

struct interval_range {
	uint64_t start, end; /* end > start */
	uint32_t value;
};

/* From `start` to the next piece's start. INTERVAL_NONE: a gap. */
struct interval_piece {
	uint64_t start;
	uint32_t value;
};

struct interval_map {
	VEC(struct interval_range) intervals;
	VEC(struct interval_piece) pieces; /* ascending; neighbours differ; the last is a gap */
};

/* Empty ranges are ignored. */
void interval_map_add(struct interval_map *map, uint64_t start, uint64_t end, uint32_t value);
/* Makes the pieces and frees the intervals. Of two equal ranges, the one with the greater value is
 * the inner one. */
void interval_map_flatten(struct interval_map *map);
/* The value at an address; INTERVAL_NONE: none. */
uint32_t interval_map_find(const struct interval_map *map, uint64_t address);
void interval_map_done(struct interval_map *map);

#endif
