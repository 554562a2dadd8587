/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/html/flame_diff.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "present/html/flame_data.h"
#include "present/html/flame_page.h"
#include "present/safe.h"

static const char rest_name[] = "(smaller branches)";

enum column { RISE, NAME, SELF, SAMPLES, OLD_SELF, OLD_SAMPLES, COLUMNS };

struct maker {
	const struct flame_diff *flame;
	struct buf names, images, image_of; /* contents of the JSON arrays of these names */
	uint32_t image_count;
	int64_t *image_numbers; /* by string: number + 1; 0: not used yet */
	struct buf columns[COLUMNS];
	uint32_t *depth; /* by node */
	uint32_t last_depth;
	uint64_t node_count;
};

static int64_t image_number(struct maker *maker, const struct paired_name *name)
{
	const struct strpool *strings = &maker->flame->tree->strings;

	if (!name->image)
		return -1;
	if (!maker->image_numbers[name->image]) {
		flame_data_separate(&maker->images);
		flame_data_image(&maker->images, strpool_get(strings, name->image), name->kind);
		maker->image_numbers[name->image] = ++maker->image_count;
	}
	return maker->image_numbers[name->image] - 1;
}

static void add_name(struct maker *maker, const char *text, int64_t image)
{
	flame_data_separate(&maker->names);
	flame_data_string(&maker->names, text);
	flame_data_separate(&maker->image_of);
	buf_printf(&maker->image_of, "%" PRId64, image);
}

/* Adds all names, and after them the one for boxes that are too small. */
static void add_names(struct maker *maker)
{
	const struct paired_tree *tree = maker->flame->tree;

	for (size_t i = 0; i < tree->names.count; i++) {
		const struct paired_name *name = &tree->names.items[i];

		add_name(maker, strpool_get(&tree->strings, name->text), image_number(maker, name));
	}
	add_name(maker, rest_name, -1);
}

static void add_node(struct maker *maker, uint32_t depth, size_t name, const struct hits *self)
{
	buf_add_uleb(&maker->columns[RISE], maker->last_depth + 1 - depth);
	buf_add_uleb(&maker->columns[NAME], name);
	buf_add_uleb(&maker->columns[SELF], self[DIFF_NEW].weight);
	buf_add_uleb(&maker->columns[SAMPLES], self[DIFF_NEW].samples);
	buf_add_uleb(&maker->columns[OLD_SELF], self[DIFF_OLD].weight);
	buf_add_uleb(&maker->columns[OLD_SAMPLES], self[DIFF_OLD].samples);
	maker->last_depth = depth;
	maker->node_count++;
}

/* Tests each node alone: children are no larger than their parents. */
static bool is_small(const struct maker *maker, uint32_t node)
{
	const struct paired_node *nodes = maker->flame->tree->nodes.items;

	for (int side = 0; side < DIFF_SIDES; side++) {
		double whole = (double)nodes[0].total[side].weight;

		if (whole > 0 &&
		    100 * (double)nodes[node].total[side].weight / whole >= maker->flame->threshold)
			return false;
	}
	return true;
}

/* Adds up the boxes directly below each node that are too small. The caller frees the result. */
static struct hits (*find_rests(const struct maker *maker))[DIFF_SIDES]
{
	const struct paired_tree *tree = maker->flame->tree;
	struct hits(*rests)[DIFF_SIDES] = xcalloc(tree->nodes.count, sizeof(*rests));

	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		const struct paired_node *node = &tree->nodes.items[id];

		for (int side = 0; side < DIFF_SIDES && is_small(maker, id); side++) {
			rests[node->parent][side].samples += node->total[side].samples;
			rests[node->parent][side].weight += node->total[side].weight;
		}
	}
	return rests;
}

static void add_rest(struct maker *maker, uint32_t node, const struct hits *rest)
{
	if (rest[DIFF_OLD].samples || rest[DIFF_NEW].samples)
		add_node(maker, maker->depth[node] + 1, maker->flame->tree->names.count, rest);
}

static void add_nodes(struct maker *maker)
{
	const struct paired_tree *tree = maker->flame->tree;
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

static void add_meta(const struct flame_diff *flame, struct buf *json)
{
	buf_add_str(json, "{\"version\":1,\"diff\":true,\"title\":");
	flame_data_string(json, flame->title);
	buf_add_str(json, ",\"unit\":");
	flame_data_string(json, flame->unit);
	buf_printf(json, ",\"inverted\":%s,\"facts\":", flame->inverted ? "true" : "false");
	flame_data_string(json, flame->facts);
	buf_add_str(json, ",\"head\":");
	safe_json(json, flame->head);
	buf_add_str(json, ",\"cuts\":{");
	flame_data_cuts(json);
	buf_add_char(json, '}');
}

static void add_json(const struct maker *maker, struct buf *json)
{
	static const char *const names[COLUMNS] = { "rise",    "name",	   "self",
						    "samples", "old_self", "old_samples" };

	add_meta(maker->flame, json);
	buf_printf(json, ",\n\"names\":[%s],\n\"images\":[%s],\n\"image_of\":[%s],\n",
		   buf_text(&maker->names), buf_text(&maker->images), buf_text(&maker->image_of));
	buf_printf(json, "\"nodes\":%" PRIu64 ",\"columns\":{", maker->node_count);
	for (int i = 0; i < COLUMNS; i++) {
		buf_add_str(json, i ? ",\n" : "");
		flame_data_column(json, names[i], &maker->columns[i]);
	}
	buf_add_str(json, "}}");
}

void flame_diff_print(const struct flame_diff *flame, FILE *out)
{
	const struct paired_tree *tree = flame->tree;
	struct maker maker = { .flame = flame };
	struct buf json = { 0 };

	maker.image_numbers =
		xcalloc(strpool_count(&tree->strings) + 1, sizeof(*maker.image_numbers));
	maker.depth = xcalloc(tree->nodes.count, sizeof(*maker.depth));
	add_names(&maker);
	add_nodes(&maker);
	add_json(&maker, &json);
	flame_data_print_page(flame_page, &json, out);
	buf_done(&json);
	buf_done(&maker.names);
	buf_done(&maker.images);
	buf_done(&maker.image_of);
	for (int i = 0; i < COLUMNS; i++)
		buf_done(&maker.columns[i]);
	free(maker.image_numbers);
	free(maker.depth);
}
