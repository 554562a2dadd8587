/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/heat.h"

#include <stdlib.h>

#include "base/clock.h"

/* How long a column is by itself: seconds, but for recordings of few. */
static uint64_t usual_column(uint64_t duration_ns)
{
	uint64_t column_ns = NS_PER_S;

	while (column_ns > NS_PER_MS && duration_ns < 5 * column_ns)
		column_ns /= 10;
	return column_ns;
}

static uint64_t bucket_count(const struct heat *heat)
{
	uint64_t duration_ns = heat->end_ns - heat->origin_ns;

	return duration_ns ? (duration_ns - 1) / heat->bucket_ns + 1 : 1;
}

static void count_columns(struct heat *heat)
{
	heat->columns = (uint32_t)((bucket_count(heat) - 1) / heat->rows + 1);
}

static uint32_t lengthen(struct heat *heat)
{
	uint32_t factor = heat->factor;

	heat->bucket_ns *= factor;
	heat->factor = 7 - factor; /* 5 and 2 in turn */
	return factor;
}

void heat_init(struct heat *heat, uint64_t origin_ns, uint64_t end_ns, uint64_t column_ns,
	       uint32_t rows, size_t most)
{
	*heat = (struct heat){ .origin_ns = origin_ns,
			       .end_ns = end_ns > origin_ns ? end_ns : origin_ns,
			       .rows = rows ? rows : HEAT_ROWS,
			       .most = most ? most : HEAT_MAX_ENTRIES,
			       .factor = 5 };
	if (!column_ns)
		column_ns = usual_column(heat->end_ns - origin_ns);
	heat->bucket_ns = column_ns / heat->rows ? column_ns / heat->rows : 1;
	while ((bucket_count(heat) - 1) / heat->rows >= HEAT_MAX_COLUMNS)
		lengthen(heat);
	count_columns(heat);
}

void heat_done(struct heat *heat)
{
	vec_free(&heat->entries);
}

static int by_place(const void *left, const void *right)
{
	const struct heat_entry *a = left, *b = right;

	if (a->bucket != b->bucket)
		return a->bucket < b->bucket ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Sorts, and makes one of those in the same place. */
static void merge(struct heat *heat)
{
	struct heat_entry *entries = heat->entries.items;
	size_t count = 0;

	if (heat->entries.count)
		qsort(entries, heat->entries.count, sizeof(*entries), by_place);
	for (size_t i = 0; i < heat->entries.count; i++) {
		if (count && by_place(&entries[count - 1], &entries[i]) == 0) {
			entries[count - 1].samples += entries[i].samples;
			entries[count - 1].weight += entries[i].weight;
		} else {
			entries[count++] = entries[i];
		}
	}
	heat->entries.count = count;
}

/* Until no more than the most are left, or nothing can be made of fewer. */
static void shrink(struct heat *heat)
{
	merge(heat);
	while (heat->entries.count > heat->most && bucket_count(heat) > 1) {
		uint32_t factor = lengthen(heat);

		for (size_t i = 0; i < heat->entries.count; i++)
			heat->entries.items[i].bucket /= factor;
		merge(heat);
	}
	count_columns(heat);
}

static uint32_t bucket_of(const struct heat *heat, uint64_t time_ns)
{
	uint64_t last = bucket_count(heat) - 1;
	uint64_t bucket;

	if (time_ns <= heat->origin_ns)
		return 0;
	bucket = (time_ns - heat->origin_ns) / heat->bucket_ns;
	return (uint32_t)(bucket < last ? bucket : last);
}

void heat_add(struct heat *heat, uint64_t time_ns, uint32_t node, uint64_t samples, uint64_t weight)
{
	if (heat->entries.count >= 2 * heat->most)
		shrink(heat);
	*vec_push(&heat->entries) = (struct heat_entry){ .bucket = bucket_of(heat, time_ns),
							 .node = node,
							 .samples = samples,
							 .weight = weight };
}

void heat_finish(struct heat *heat)
{
	shrink(heat);
}
