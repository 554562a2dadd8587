/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/prune.h"

#include <stdlib.h>
#include <string.h>

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

/* The digits of weights for find_heaviest(). */
enum {
	DIGIT_BITS = 16,
	DIGITS = 1 << DIGIT_BITS,
};

/* The lowest weight among the heaviest @limit nodes, and how many of exactly that weight are among
 * them. It is found digit by digit, the highest first, without sorting. */
struct heaviest {
	uint64_t least;
	size_t of_least;
};

/* Counts, by the digit at @shift, the visible nodes whose higher digits equal those of @least. */
static void count_digits(const struct tree *tree, const bool *hidden, uint64_t least,
			 unsigned shift, size_t *counts)
{
	memset(counts, 0, DIGITS * sizeof(*counts));
	for (size_t id = 1; id < tree->nodes.count; id++) {
		uint64_t digits = tree->nodes.items[id].total.weight >> shift;

		if (!hidden[id] && digits >> DIGIT_BITS == least >> shift >> DIGIT_BITS)
			counts[digits & (DIGITS - 1)]++;
	}
}

/* Requires that at least @limit nodes are not hidden, and that @limit is not 0. */
static struct heaviest find_heaviest(const struct tree *tree, size_t limit, const bool *hidden)
{
	size_t *counts = xcalloc(DIGITS, sizeof(*counts));
	struct heaviest heaviest = { 0, limit };

	for (unsigned shift = 64; shift > 0;) {
		uint64_t digit = DIGITS - 1;

		shift -= DIGIT_BITS;
		count_digits(tree, hidden, heaviest.least, shift, counts);
		for (; counts[digit] < heaviest.of_least; digit--)
			heaviest.of_least -= counts[digit];
		heaviest.least |= digit << shift;
	}
	free(counts);
	return heaviest;
}

/* Of nodes of the same weight the first stay. No node weighs more than its parent, whose number is
 * smaller, so parents stay before their children. */
static void hide_beyond(const struct tree *tree, size_t limit, bool *hidden)
{
	size_t shown = 0;
	struct heaviest heaviest;

	for (size_t id = 1; id < tree->nodes.count; id++)
		shown += !hidden[id];
	if (shown <= limit)
		return;
	heaviest = find_heaviest(tree, limit, hidden);
	for (size_t id = 1; id < tree->nodes.count; id++) {
		uint64_t weight = tree->nodes.items[id].total.weight;

		if (hidden[id] || weight > heaviest.least)
			continue;
		if (weight == heaviest.least && heaviest.of_least)
			heaviest.of_least--;
		else
			hidden[id] = true;
	}
}

static void add_rest(const struct tree *tree, struct prune *prune)
{
	for (size_t id = 1; id < tree->nodes.count; id++) {
		const struct tree_node *node = &tree->nodes.items[id];
		struct prune_rest *rest = &prune->rest[node->parent];

		if (prune->hidden[node->parent] || !prune->hidden[id])
			continue;
		rest->nodes++;
		hits_add(&rest->hits, &node->total);
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

void prune_tighten(const struct tree *tree, size_t limit, struct prune *prune)
{
	hide_beyond(tree, limit, prune->hidden);
	memset(prune->rest, 0, tree->nodes.count * sizeof(*prune->rest));
	add_rest(tree, prune);
}

void prune_done(struct prune *prune)
{
	free(prune->hidden);
	free(prune->rest);
	*prune = (struct prune){ 0 };
}
