/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/eh_ranges.h"

#include <errno.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/frame_sections.h"

/* Distances from the start of the lowest code section. */
struct range {
	uint32_t start, size;
};

struct eh_ranges {
	uint64_t base;
	VEC(struct range) list; /* by start */
};

static void add_range(struct eh_ranges *ranges, uint64_t start, uint64_t size)
{
	uint64_t distance = start - ranges->base;

	if (start < ranges->base || distance > UINT32_MAX || size == 0 || size > UINT32_MAX)
		return;
	*vec_push(&ranges->list) =
		(struct range){ .start = (uint32_t)distance, .size = (uint32_t)size };
}

DEFINE_ORDER(by_start, struct range, COMPARE(a->start, b->start))

/* Linkers mostly write them in order. */
static void sort(struct eh_ranges *ranges)
{
	for (size_t i = 1; i < ranges->list.count; i++) {
		if (ranges->list.items[i].start < ranges->list.items[i - 1].start) {
			qsort(ranges->list.items, ranges->list.count, sizeof(struct range),
			      by_start);
			return;
		}
	}
}

int eh_ranges_read(const struct elf_file *file, struct eh_ranges **ret_ranges, struct err *err)
{
	_cleanup_(frame_sections_freep) struct frame_sections *frames = NULL;
	struct eh_ranges *ranges;
	struct frame_fde fde;
	int rc;

	if (!elf_file_code(file, 0))
		return err_set(err, -ENODATA, "the file has no code");
	rc = frame_sections_open(file, FRAME_EH, &frames, err);
	if (rc < 0)
		return rc;
	ranges = xcalloc(1, sizeof(*ranges));
	ranges->base = elf_file_code(file, 0)->address;
	while (frame_sections_next(frames, &fde))
		add_range(ranges, fde.start, fde.size);
	sort(ranges);
	*ret_ranges = ranges;
	return 0;
}

void eh_ranges_free(struct eh_ranges *ranges)
{
	if (!ranges)
		return;
	vec_free(&ranges->list);
	free(ranges);
}

size_t eh_ranges_count(const struct eh_ranges *ranges)
{
	return ranges->list.count;
}

size_t eh_ranges_bytes(const struct eh_ranges *ranges)
{
	return sizeof(*ranges) + ranges->list.capacity * sizeof(struct range);
}

/* Returns how many ranges begin at or before the distance. */
static size_t begun(const struct eh_ranges *ranges, uint64_t distance)
{
	return search_before(ranges->list.items, ranges->list.count, item, item->start <= distance);
}

bool eh_ranges_narrow(const struct eh_ranges *ranges, uint64_t address, uint64_t *start,
		      uint64_t *end)
{
	size_t after = begun(ranges, address - ranges->base);
	bool covered = false;
	uint64_t edge;

	if (address < ranges->base)
		return false;
	if (after > 0) {
		const struct range *range = &ranges->list.items[after - 1];

		edge = ranges->base + range->start;
		covered = address - edge < range->size;
		if (!covered)
			edge += range->size;
		else if (edge + range->size < *end)
			*end = edge + range->size;
		*start = edge > *start ? edge : *start;
	}
	if (after < ranges->list.count) {
		edge = ranges->base + ranges->list.items[after].start;
		*end = edge < *end ? edge : *end;
	}
	return covered;
}
