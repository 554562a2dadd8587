/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/prune.h"

#include <stdlib.h>

#include "base/xalloc.h"

static bool is_kept(const struct tree *tree, const struct prune_limits *limits, const bool *hidden,
		    uint32_t id)
{
	const struct tree_node *node = &tree->nodes.items[id];

	return limits->keep && !tree_is_group(tree, id) && limits->keep[node->place] &&
	       !hidden[node->parent] && (!node->parent || tree_is_group(tree, node->parent));
}

static bool is_small(const struct tree *tree, const struct prune_limits *limits, uint32_t id)
{
	return tree_percent(tree, tree->nodes.items[id].total.weight) < limits->threshold;
}

static void hide_small_and_deep(const struct tree *tree, const struct prune_limits *limits,
				bool *hidden)
{
	const struct tree_node *nodes = tree->nodes.items;
	uint32_t *depth = xcalloc(tree->nodes.count, sizeof(*depth));

	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		depth[id] = depth[nodes[id].parent] + 1;
		hidden[id] = (is_small(tree, limits, id) && !is_kept(tree, limits, hidden, id)) ||
			     (limits->max_depth && depth[id] > limits->max_depth);
	}
	free(depth);
}

struct ranked {
	uint64_t weight;
	uint32_t node;
};

/* No node weighs more than its parent, whose number is smaller: parents come first. */
static int heavier(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static void hide_beyond(const struct tree *tree, size_t limit, bool *hidden)
{
	struct ranked *ranked = xcalloc(tree->nodes.count, sizeof(*ranked));
	size_t count = 0;

	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		if (!hidden[id])
			ranked[count++] = (struct ranked){ tree->nodes.items[id].total.weight, id };
	}
	if (count)
		qsort(ranked, count, sizeof(*ranked), heavier);
	for (size_t i = limit; i < count; i++)
		hidden[ranked[i].node] = true;
	free(ranked);
}

static void add_rest(const struct tree *tree, struct prune *prune)
{
	for (size_t id = 1; id < tree->nodes.count; id++) {
		const struct tree_node *node = &tree->nodes.items[id];
		struct prune_rest *rest = &prune->rest[node->parent];

		if (prune->hidden[node->parent] || !prune->hidden[id])
			continue;
		rest->nodes++;
		rest->hits.samples += node->total.samples;
		rest->hits.weight += node->total.weight;
	}
}

void prune_make(const struct tree *tree, const struct prune_limits *limits, struct prune *ret_prune)
{
	struct prune prune = { .hidden = xcalloc(tree->nodes.count, sizeof(*prune.hidden)),
			       .rest = xcalloc(tree->nodes.count, sizeof(*prune.rest)) };

	hide_small_and_deep(tree, limits, prune.hidden);
	if (limits->limit)
		hide_beyond(tree, limits->limit, prune.hidden);
	add_rest(tree, &prune);
	*ret_prune = prune;
}

void prune_done(struct prune *prune)
{
	free(prune->hidden);
	free(prune->rest);
	*prune = (struct prune){ 0 };
}
