/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/children.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/tree.h"
#include "base/xalloc.h"

struct inclusive {
	struct hits total, self;
	uint32_t on_path; /* how often it is on the path from the root to here */
	bool touched;
};

struct summing {
	struct table *table;
	const struct tree *tree;
	struct inclusive *places; /* of the current group */
	VEC(uint32_t) touched;
	VEC(uint32_t) path;
	uint64_t group[KEYS_MAX]; /* values of the group's keys, in the order of @stacks' keys */
};

static bool is_stack(const struct key *key)
{
	return strcmp(key->name, "stack") == 0;
}

int children_check(const struct key_list *keys, struct err *err)
{
	bool any = false;

	for (size_t i = 0; i < keys->count; i++) {
		if (is_stack(keys->items[i]))
			return err_set(err, -EINVAL,
				       "the key 'stack' cannot be used here: whole stacks have no "
				       "callees");
		any = any || keys->items[i]->of_frame;
	}
	if (any)
		return 0;
	return err_set(err, -EINVAL,
		       "--by needs a key of code: function, symbol, image, inline, line, source or "
		       "address");
}

struct key_list children_stack_keys(const struct key_list *keys)
{
	struct key_list made = { 0 };

	for (size_t i = 0; i < keys->count; i++) {
		if (!keys->items[i]->of_frame)
			made.items[made.count++] = keys->items[i];
	}
	made.items[made.count++] = keys_stack_id();
	return made;
}

struct key_list children_frame_keys(const struct key_list *keys)
{
	struct key_list made = { 0 };

	for (size_t i = 0; i < keys->count; i++) {
		if (keys->items[i]->of_frame)
			made.items[made.count++] = keys->items[i];
	}
	return made;
}

/* Leaves the nodes that do not contain the new one. */
static void leave(struct summing *summing, uint32_t parent)
{
	const struct tree_node *nodes = summing->tree->nodes.items;

	while (summing->path.count && summing->path.items[summing->path.count - 1] != parent) {
		uint32_t left = summing->path.items[--summing->path.count];

		summing->places[nodes[left].place].on_path--;
	}
}

static void enter(struct summing *summing, uint32_t id)
{
	const struct tree_node *node = &summing->tree->nodes.items[id];
	struct inclusive *place = &summing->places[node->place];

	if (!place->touched)
		*vec_push(&summing->touched) = node->place;
	place->touched = true;
	if (!place->on_path++)
		hits_add(&place->total, &node->total);
	hits_add(&place->self, &node->self);
	*vec_push(&summing->path) = id;
}

static void add_row(struct summing *summing, uint32_t id)
{
	const struct places *places = summing->tree->places;
	const struct key_list *keys = &summing->table->keys;
	const struct inclusive *place = &summing->places[id];
	uint64_t values[KEYS_MAX];
	struct table_row *row;
	size_t group = 0;

	for (size_t i = 0; i < keys->count; i++) {
		const struct key *key = keys->items[i];

		values[i] = key->of_frame
				    ? key->of_frame(places->labels, places->rows.items[id].frame)
				    : summing->group[group++];
	}
	row = table_row(summing->table, summing->tree->event, values);
	row->samples = place->total.samples;
	row->weight = place->total.weight;
	row->self = place->self;
}

/* Adds the rows of the current group. */
static void end_group(struct summing *summing)
{
	for (size_t i = 0; i < summing->touched.count; i++) {
		uint32_t id = summing->touched.items[i];

		add_row(summing, id);
		summing->places[id] = (struct inclusive){ 0 };
	}
	summing->touched.count = summing->path.count = 0;
}

static void begin_group(struct summing *summing, uint32_t id)
{
	const struct tree *tree = summing->tree;
	size_t row = tree->nodes.items[id].place - tree->places->rows.count;

	end_group(summing);
	memcpy(summing->group, &tree->stacks->values.items[tree->stacks->rows.items[row].values],
	       (tree->stacks->keys.count - 1) * sizeof(uint64_t));
}

static void add_event(struct table *table, const struct tree *tree)
{
	struct summing summing = { .table = table, .tree = tree };
	uint32_t *order = tree_order_any(tree);

	summing.places = xcalloc(tree->places->rows.count, sizeof(*summing.places));
	for (size_t i = 1; i < tree->nodes.count; i++) {
		uint32_t id = order[i];

		if (tree_is_group(tree, id)) {
			begin_group(&summing, id);
			continue;
		}
		leave(&summing, tree->nodes.items[id].parent);
		enter(&summing, id);
	}
	end_group(&summing);
	vec_free(&summing.touched);
	vec_free(&summing.path);
	free(summing.places);
	free(order);
}

struct table *children_new(const struct table *stacks, const struct key_list *keys)
{
	struct table *table = table_new(stacks->labels, keys);
	struct key_list of_frames = children_frame_keys(keys);
	_cleanup_(places_freep) struct places *places = places_new(stacks->labels, &of_frames);

	table->inclusive = true;
	for (uint8_t event = 0; event < stacks->labels->profile->event_count; event++) {
		_cleanup_(tree_freep) struct tree *tree = NULL;

		if (!stacks->sums[event].samples)
			continue;
		tree = tree_new(stacks, places, event, TREE_FROM_ROOTS, NULL);
		add_event(table, tree);
	}
	table_copy_sums(table, stacks);
	return table;
}
