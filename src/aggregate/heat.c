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

static uint32_t lengthen_buckets(struct heat *heat)
{
	uint32_t factor = heat->factor;

	heat->bucket_ns *= factor;
	if (heat->columns && heat->columns < factor * HEAT_FEW_COLUMNS && heat->rows % factor == 0)
		heat->rows /= factor;
	heat->factor = 7 - factor; /* 5 and 2 in turn */
	count_columns(heat);
	return factor;
}

void heat_init(struct heat *heat, uint64_t origin_ns, uint64_t end_ns, uint64_t column_ns,
	       uint32_t rows)
{
	*heat = (struct heat){ .origin_ns = origin_ns,
			       .end_ns = end_ns > origin_ns ? end_ns : origin_ns,
			       .rows = rows ? rows : HEAT_ROWS,
			       .factor = 5 };
	if (!column_ns)
		column_ns = usual_column(heat->end_ns - origin_ns);
	heat->bucket_ns = column_ns / heat->rows ? column_ns / heat->rows : 1;
	while ((bucket_count(heat) - 1) / heat->rows >= HEAT_MAX_COLUMNS)
		lengthen_buckets(heat);
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

void heat_merge(struct heat *heat)
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

bool heat_lengthen(struct heat *heat)
{
	uint32_t factor;

	if (bucket_count(heat) <= 1)
		return false;
	factor = lengthen_buckets(heat);
	for (size_t i = 0; i < heat->entries.count; i++)
		heat->entries.items[i].bucket /= factor;
	heat_merge(heat);
	return true;
}

void heat_map(struct heat *heat, const uint32_t *to)
{
	for (size_t i = 0; i < heat->entries.count; i++)
		heat->entries.items[i].node = to[heat->entries.items[i].node];
	heat_merge(heat);
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
	*vec_push(&heat->entries) = (struct heat_entry){ .bucket = bucket_of(heat, time_ns),
							 .node = node,
							 .samples = samples,
							 .weight = weight };
}
