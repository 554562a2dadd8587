/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/html/heatmap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/xalloc.h"
#include "present/html/flame_page.h"

struct maker {
	const struct heat *heat;
	double origin_s;
};

/* One entry of the page. Nodes that are hidden together share one. */
struct hit {
	uint32_t node;
	uint64_t samples, weight;
};

/* The columns. For each bucket with entries: the number of empty buckets before it, and of its
 * entries. For each entry: the difference to the node before it in the bucket, samples, weight. */
struct packed {
	struct buf gap, length, node, samples, weight;
	uint64_t buckets, entries;
	uint32_t next;	      /* the bucket after the last one */
	VEC(struct hit) hits; /* of the current bucket; scratch */
};

static int by_node(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	return a->node < b->node ? -1 : a->node > b->node;
}

/* Packs the entries of one bucket. */
static void pack_bucket(struct packed *packed, uint32_t bucket)
{
	struct hit *hits = packed->hits.items;
	size_t count = 0;
	uint32_t last = 0;

	qsort(hits, packed->hits.count, sizeof(*hits), by_node);
	for (size_t i = 0; i < packed->hits.count; i++) {
		if (count && hits[count - 1].node == hits[i].node) {
			hits[count - 1].samples += hits[i].samples;
			hits[count - 1].weight += hits[i].weight;
		} else {
			hits[count++] = hits[i];
		}
	}
	buf_add_uleb(&packed->gap, bucket - packed->next);
	buf_add_uleb(&packed->length, count);
	for (size_t i = 0; i < count; i++) {
		buf_add_uleb(&packed->node, hits[i].node - last);
		buf_add_uleb(&packed->samples, hits[i].samples);
		buf_add_uleb(&packed->weight, hits[i].weight);
		last = hits[i].node;
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
		*vec_push(&packed->hits) = (struct hit){ .node = of_node[entries[i].node],
							 .samples = entries[i].samples,
							 .weight = entries[i].weight };
		if (i + 1 == heat->entries.count || entries[i + 1].bucket != entries[i].bucket)
			pack_bucket(packed, entries[i].bucket);
	}
}

static void add_column(struct buf *json, const char *name, struct buf *column)
{
	buf_printf(json, ",\n\"%s\":\"", name);
	base64_add(json, column->bytes, column->size);
	buf_add_char(json, '"');
	buf_done(column);
}

static void add_heat(void *context, const uint32_t *of_node, struct buf *json)
{
	const struct maker *maker = context;
	struct packed packed = { .next = 0 };

	pack(&packed, maker->heat, of_node);
	buf_printf(json,
		   ",\n\"heat\":{\"origin_s\":%.9f,\"bucket_ns\":%" PRIu64 ",\"rows\":%" PRIu32
		   ",\"columns\":%" PRIu32 ",\"buckets\":%" PRIu64 ",\"entries\":%" PRIu64,
		   maker->origin_s, maker->heat->bucket_ns, maker->heat->rows, maker->heat->columns,
		   packed.buckets, packed.entries);
	add_column(json, "gap", &packed.gap);
	add_column(json, "length", &packed.length);
	add_column(json, "node", &packed.node);
	add_column(json, "samples", &packed.samples);
	add_column(json, "weight", &packed.weight);
	buf_add_char(json, '}');
	vec_free(&packed.hits);
}

void heatmap_print(const struct view *view, const struct flame *flame, const struct heat *heat,
		   double origin_s, FILE *out)
{
	struct maker maker = { heat, origin_s };
	struct flame page = *flame;

	page.page = heatmap_page;
	page.more = add_heat;
	page.more_context = &maker;
	flame_print(view, &page, out);
}
