/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/html/page_heat.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/json_add.h"
#include "present/html/page_data.h"

/* One entry of the page. Nodes that are hidden together share one. */
struct hit {
	uint32_t lane, node;
	uint64_t samples, weight;
};

/* The columns. For each bucket with entries: the number of empty buckets before it, and of its
 * entries. For each entry: the difference to the lane before it in the bucket, that to the node
 * before it in the lane, samples, weight. */
struct packed {
	struct buf gap, length, lane, node, samples, weight;
	uint64_t buckets, entries;
	uint32_t next;	      /* the bucket after the last one */
	VEC(struct hit) hits; /* of the current bucket; scratch */
};

DEFINE_ORDER(by_lane, struct hit, COMPARE(a->lane, b->lane) ?: COMPARE(a->node, b->node))

/* Adds up entries of one lane and node, which are adjacent. */
static size_t unite(struct hit *hits, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && by_lane(&hits[kept - 1], &hits[i]) == 0) {
			hits[kept - 1].samples += hits[i].samples;
			hits[kept - 1].weight += hits[i].weight;
		} else {
			hits[kept++] = hits[i];
		}
	}
	return kept;
}

/* Packs the entries of one bucket. */
static void pack_bucket(struct packed *packed, uint32_t bucket)
{
	struct hit *hits = packed->hits.items;
	struct hit last = { 0 };
	size_t count;

	qsort(hits, packed->hits.count, sizeof(*hits), by_lane);
	count = unite(hits, packed->hits.count);
	buf_add_uleb(&packed->gap, bucket - packed->next);
	buf_add_uleb(&packed->length, count);
	for (size_t i = 0; i < count; i++) {
		if (hits[i].lane != last.lane)
			last.node = 0;
		buf_add_uleb(&packed->lane, hits[i].lane - last.lane);
		buf_add_uleb(&packed->node, hits[i].node - last.node);
		buf_add_uleb(&packed->samples, hits[i].samples);
		buf_add_uleb(&packed->weight, hits[i].weight);
		last = hits[i];
	}
	packed->next = bucket + 1;
	packed->buckets++;
	packed->entries += count;
	packed->hits.count = 0;
}

static void pack(struct packed *packed, const struct heat *heat, const uint32_t *of_node)
{
	const struct heat_entry *entries = heat->entries.items;

	for (size_t i = 0; i < heat->entries.count; i++) {
		*vec_push(&packed->hits) = (struct hit){ .lane = entries[i].lane,
							 .node = of_node[entries[i].node],
							 .samples = entries[i].samples,
							 .weight = entries[i].weight };
		if (i + 1 == heat->entries.count || entries[i + 1].bucket != entries[i].bucket)
			pack_bucket(packed, entries[i].bucket);
	}
}

void page_heat_add(const struct heat *heat, double origin_s, const uint32_t *of_node,
		   struct buf *json)
{
	struct packed packed = { .next = 0 };

	pack(&packed, heat, of_node);
	json_add_line(json);
	json_add_begin(json, "heat", '{');
	json_add_fixed(json, "origin_s", origin_s, 9);
	json_add_number(json, "bucket_ns", heat->bucket_ns);
	json_add_number(json, "rows", heat->rows);
	json_add_number(json, "columns", heat->columns);
	json_add_number(json, "buckets", packed.buckets);
	json_add_number(json, "entries", packed.entries);
	page_data_column(json, "gap", &packed.gap);
	page_data_column(json, "length", &packed.length);
	page_data_column(json, "lane", &packed.lane);
	page_data_column(json, "node", &packed.node);
	page_data_column(json, "samples", &packed.samples);
	page_data_column(json, "weight", &packed.weight);
	json_add_end(json, '}');
	vec_free(&packed.hits);
}
