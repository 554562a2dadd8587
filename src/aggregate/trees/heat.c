/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/heat.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hashidx.h"
#include "base/radix.h"
#include "base/search.h"
#include "base/xalloc.h"

/* The number of entries sorted at once: they fit into a CPU's caches. */
enum { CHUNK = 1 << 15 };

/* An entry that was added last. Entries are scattered: only one whose place has this hash is looked at. */
struct recent {
	uint32_t hash, at;
};

/* Those that are remembered: as many as a bucket of a busy time has, and they fit into a CPU's caches. */
enum { RECENT = 1 << 14 };

enum { NODE_MASK = (1 << HEAT_NODE_BITS) - 1 };

/* The default length of a column: a second, or less for short recordings. */
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
	heat->recent = xcalloc(RECENT, sizeof(*heat->recent));
	heat->last_from_ns = origin_ns;
}

void heat_done(struct heat *heat)
{
	vec_free(&heat->entries);
	free(heat->recent);
}

static uint64_t place_of(const struct heat_entry *entry)
{
	uint32_t within = (uint32_t)entry->lane << HEAT_NODE_BITS | entry->node;

	return (uint64_t)entry->bucket << 32 | within;
}

/* Sorts the entries from @first to before @end. */
static void sort(struct heat_entry *entries, size_t first, size_t end)
{
	size_t count = end - first;
	_cleanup_free_ struct radix_item *order = xmalloc(count * sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = (struct radix_item){ place_of(&entries[first + i]), (uint32_t)i };
	radix_sort(order, count);
	radix_arrange(order, count, &entries[first], sizeof(*entries));
}

/* Merges entries of one place, which are adjacent from @first on. */
static void unite(struct heat *heat, size_t first)
{
	struct heat_entry *entries = heat->entries.items;
	size_t kept = first;

	for (size_t i = first; i < heat->entries.count; i++) {
		if (kept > first && place_of(&entries[kept - 1]) == place_of(&entries[i])) {
			entries[kept - 1].samples += entries[i].samples;
			entries[kept - 1].weight += entries[i].weight;
		} else {
			entries[kept++] = entries[i];
		}
	}
	heat->entries.count = heat->merged = kept;
}

/* The first merged entry that is not before this bucket. */
static size_t first_from(const struct heat *heat, uint32_t bucket)
{
	return search_before(heat->entries.items, heat->merged, item, item->bucket < bucket);
}

void heat_merge(struct heat *heat)
{
	const struct heat_entry *entries = heat->entries.items;
	uint32_t earliest = UINT32_MAX;
	size_t first;

	if (heat->merged == heat->entries.count)
		return;
	for (size_t i = heat->merged; i < heat->entries.count; i++) {
		if (entries[i].bucket < earliest)
			earliest = entries[i].bucket;
	}
	first = first_from(heat, earliest);
	sort(heat->entries.items, first, heat->entries.count);
	unite(heat, first);
}

/* Merges all entries if their buckets are in order and only their nodes may not be. */
static void merge_within_buckets(struct heat *heat)
{
	struct heat_entry *entries = heat->entries.items;
	size_t first = 0;

	for (size_t i = 1; i <= heat->entries.count; i++) {
		if (i < heat->entries.count &&
		    (i - first < CHUNK || entries[i].bucket == entries[i - 1].bucket))
			continue;
		sort(entries, first, i);
		first = i;
	}
	unite(heat, 0);
}

bool heat_lengthen(struct heat *heat)
{
	uint32_t factor;

	if (bucket_count(heat) <= 1)
		return false;
	heat_merge(heat);
	factor = lengthen_buckets(heat);
	heat->last_from_ns = heat->origin_ns + heat->last * heat->bucket_ns;
	for (size_t i = 0; i < heat->entries.count; i++)
		heat->entries.items[i].bucket /= factor;
	merge_within_buckets(heat);
	return true;
}

void heat_map(struct heat *heat, const uint32_t *to)
{
	heat_merge(heat);
	for (size_t i = 0; i < heat->entries.count; i++)
		heat->entries.items[i].node = to[heat->entries.items[i].node] & NODE_MASK;
	merge_within_buckets(heat);
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

/* The same; most samples are in the bucket of the one before. */
static uint32_t next_bucket(struct heat *heat, uint64_t time_ns)
{
	if (time_ns < heat->last_from_ns || time_ns - heat->last_from_ns >= heat->bucket_ns) {
		heat->last = bucket_of(heat, time_ns);
		heat->last_from_ns = heat->origin_ns + heat->last * heat->bucket_ns;
	}
	return heat->last;
}

/* Most samples are of a place that was met shortly before: its entry takes them, wherever it is now. So
 * there are fewer entries to sort. */
static void add(struct heat *heat, const struct heat_entry *entry)
{
	uint64_t place = place_of(entry), hash = hash_u64(place);
	struct recent *recent = &heat->recent[hash % RECENT];

	if (recent->hash == (uint32_t)(hash >> 32) && recent->at < heat->entries.count &&
	    place_of(&heat->entries.items[recent->at]) == place) {
		heat->entries.items[recent->at].samples += entry->samples;
		heat->entries.items[recent->at].weight += entry->weight;
		return;
	}
	*recent = (struct recent){ (uint32_t)(hash >> 32), (uint32_t)heat->entries.count };
	*vec_push(&heat->entries) = *entry;
	if (heat->entries.count - heat->merged >= CHUNK)
		heat_merge(heat);
}

void heat_add(struct heat *heat, uint64_t time_ns, uint8_t lane, uint32_t node, uint64_t samples,
	      uint64_t weight)
{
	add(heat, &(struct heat_entry){ .bucket = next_bucket(heat, time_ns),
					.node = node & NODE_MASK,
					.lane = lane,
					.samples = samples,
					.weight = weight });
}

size_t heat_add_lasting(struct heat *heat, uint64_t end_ns, uint8_t lane, uint32_t node,
			uint64_t samples, uint64_t length_ns)
{
	uint64_t since_ns = end_ns > length_ns ? end_ns - length_ns : 0;
	struct heat_entry entry = { .bucket = bucket_of(heat, end_ns),
				    .node = node & NODE_MASK,
				    .lane = lane,
				    .samples = samples };
	uint32_t first = bucket_of(heat, since_ns);
	size_t count = entry.bucket - first + 1;

	/* Backwards: the first bucket has what is left. */
	while (entry.bucket > first) {
		uint64_t bucket_ns = heat->origin_ns + entry.bucket * heat->bucket_ns;

		entry.weight = end_ns > bucket_ns ? end_ns - bucket_ns : 0;
		add(heat, &entry);
		end_ns -= entry.weight;
		length_ns -= entry.weight;
		entry.samples = 0;
		entry.bucket--;
	}
	entry.weight = length_ns;
	add(heat, &entry);
	return count;
}
