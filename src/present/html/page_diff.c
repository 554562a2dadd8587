/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/html/page.h"

#include <stdlib.h>

#include "base/json_add.h"
#include "base/xalloc.h"
#include "present/html/page_data.h"

struct maker {
	const struct page_diff *page;
	struct page_names names;
	struct page_tree data;
	int64_t *image_numbers; /* by string: number + 1; 0: not used yet */
	uint32_t *depth;	/* by node */
};

static int64_t image_number(struct maker *maker, const struct paired_name *name)
{
	const struct strpool *strings = &maker->page->tree->strings;

	if (!name->image)
		return PAGE_SEVERAL;
	if (!maker->image_numbers[name->image])
		maker->image_numbers[name->image] =
			page_names_image(&maker->names, strpool_get(strings, name->image),
					 name->kind) +
			1;
	return maker->image_numbers[name->image] - 1;
}

static void add_names(struct maker *maker)
{
	const struct paired_tree *tree = maker->page->tree;

	for (size_t i = 0; i < tree->names.count; i++) {
		const struct paired_name *name = &tree->names.items[i];

		page_names_add(&maker->names, strpool_get(&tree->strings, name->text),
			       name->is_group ? PAGE_GROUP : image_number(maker, name));
	}
}

static void add_node(struct maker *maker, uint32_t depth, size_t name, const struct hits *self)
{
	page_tree_node(&maker->data, depth, (uint32_t)name, &self[DIFF_NEW], &self[DIFF_OLD]);
}

/* Tests each node alone: children are no larger than their parents. */
static bool is_small(const struct maker *maker, uint32_t node)
{
	const struct paired_node *nodes = maker->page->tree->nodes.items;

	for (int side = 0; side < DIFF_SIDES; side++) {
		double whole = (double)nodes[0].total[side].weight;

		if (whole > 0 &&
		    100 * (double)nodes[node].total[side].weight / whole >= maker->page->threshold)
			return false;
	}
	return true;
}

/* Adds up the boxes directly below each node that are too small. The caller frees the result. */
static struct hits (*find_rests(const struct maker *maker))[DIFF_SIDES]
{
	const struct paired_tree *tree = maker->page->tree;
	struct hits(*rests)[DIFF_SIDES] = xcalloc(tree->nodes.count, sizeof(*rests));

	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		const struct paired_node *node = &tree->nodes.items[id];

		for (int side = 0; side < DIFF_SIDES && is_small(maker, id); side++) {
			hits_add(&rests[node->parent][side], &node->total[side]);
		}
	}
	return rests;
}

static void add_rest(struct maker *maker, uint32_t node, const struct hits *rest)
{
	if (rest[DIFF_OLD].samples || rest[DIFF_NEW].samples)
		add_node(maker, maker->depth[node] + 1, page_names_rest(&maker->names), rest);
}

static void add_nodes(struct maker *maker)
{
	const struct paired_tree *tree = maker->page->tree;
	struct hits(*rests)[DIFF_SIDES] = find_rests(maker);
	uint32_t *order = paired_tree_order(tree);

	add_rest(maker, 0, rests[0]);
	for (size_t i = 1; i < tree->nodes.count; i++) {
		const struct paired_node *node = &tree->nodes.items[order[i]];

		if (is_small(maker, order[i]))
			continue;
		maker->depth[order[i]] = maker->depth[node->parent] + 1;
		add_node(maker, maker->depth[order[i]], node->name, node->self);
		add_rest(maker, order[i], rests[order[i]]);
	}
	free(order);
	free(rests);
}

static void add_json(struct maker *maker, struct buf *json)
{
	const struct page_diff *page = maker->page;

	page_data_begin(json, page->title, "flame", page->inverted, page->head);
	json_add_bool(json, "diff", true);
	json_add_number(json, "event", 0);
	json_add_begin(json, "events", '[');
	json_add_begin(json, NULL, '{');
	page_data_text(json, "name", page->event);
	page_data_text(json, "unit", page->unit);
	page_data_text(json, "facts", page->facts);
	page_tree_end(&maker->data, json);
	json_add_end(json, '}');
	json_add_end(json, ']');
	page_names_end(&maker->names, json);
}

void page_diff_print(const struct page_diff *page, FILE *out)
{
	const struct paired_tree *tree = page->tree;
	struct maker maker = { .page = page, .data = { .diff = true } };
	struct buf json = { 0 };

	maker.image_numbers =
		xcalloc(strpool_count(&tree->strings) + 1, sizeof(*maker.image_numbers));
	maker.depth = xcalloc(tree->nodes.count, sizeof(*maker.depth));
	add_names(&maker);
	add_nodes(&maker);
	add_json(&maker, &json);
	page_data_print(&json, out);
	free(maker.image_numbers);
	free(maker.depth);
}
