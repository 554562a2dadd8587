/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf map, whole and in two parts, into a code map: what is announced must be found again. */
#include <stdlib.h>

#include "place/jit/code_map.h"
#include "place/jit/perf_map.h"
#include "target.h"

struct taking {
	struct code_map *map;
	uint64_t lines;
};

static void take(void *context, const struct perf_map_line *line)
{
	struct taking *taking = context;
	struct code_piece piece = { .start = line->start,
				    .size = line->size,
				    .since_ns = ++taking->lines };
	const struct code_piece *found;

	if (!line->name_length)
		abort();
	if (!code_map_add(taking->map, &piece, line->name, line->name_length))
		return;
	found = code_map_find(taking->map, line->start + (line->size - 1), UINT64_MAX);
	if (!found || code_map_at(taking->map, found->place) != found)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taking taking = { .map = code_map_new(CODE_MAP_PLACES, size % 2) };
	const char *text = (const char *)data;
	size_t half = perf_map_parse(text, size / 2, false, take, &taking);

	if (half > size / 2)
		abort();
	if (perf_map_parse(text + half, size - half, true, take, &taking) != size - half)
		abort();
	code_map_free(taking.map);
	return 0;
}
