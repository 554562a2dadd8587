/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/tree_order.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct weighed {
	uint64_t weight;
	uint32_t node;
};

/* Lightest first, and among equals the last. */
static int lighter(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? -1 : 1;
	return a->node > b->node ? -1 : a->node < b->node;
}

/* The visible nodes without the root, lightest first. The caller frees them. */
static struct weighed *weigh(const struct tree *tree, const bool *hidden, size_t *ret_count)
{
	struct weighed *weighed = xcalloc(tree->nodes.count, sizeof(*weighed));
	size_t count = 0;

	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		if (!hidden || !hidden[id])
			weighed[count++] =
				(struct weighed){ tree->nodes.items[id].total.weight, id };
	}
	if (count)
		qsort(weighed, count, sizeof(*weighed), lighter);
	*ret_count = count;
	return weighed;
}

struct links {
	uint32_t *first, *next; /* by node; 0: none */
};

static void add_first(const struct tree *tree, struct links *links, uint32_t node)
{
	uint32_t *first = &links->first[tree->nodes.items[node].parent];

	links->next[node] = *first;
	*first = node;
}

static void link_by_weight(const struct tree *tree, const bool *hidden, struct links *links)
{
	size_t count;
	struct weighed *weighed = weigh(tree, hidden, &count);

	for (size_t i = 0; i < count; i++)
		add_first(tree, links, weighed[i].node);
	free(weighed);
}

static uint32_t *order_of_links(const struct tree *tree, const struct links *links,
				size_t *ret_count)
{
	uint32_t *order = xcalloc(tree->nodes.count, sizeof(*order));
	uint32_t node = 0;
	size_t count = 0;

	for (;;) {
		order[count++] = node;
		if (links->first[node]) {
			node = links->first[node];
			continue;
		}
		while (node && !links->next[node])
			node = tree->nodes.items[node].parent;
		if (!node)
			break;
		node = links->next[node];
	}
	*ret_count = count;
	return order;
}

static void links_init(struct links *links, const struct tree *tree)
{
	links->first = xcalloc(tree->nodes.count, sizeof(*links->first));
	links->next = xcalloc(tree->nodes.count, sizeof(*links->next));
}

static void links_done(struct links *links)
{
	free(links->first);
	free(links->next);
}

uint32_t *tree_order(const struct tree *tree, const bool *hidden, size_t *ret_count)
{
	struct links links;
	uint32_t *order;

	links_init(&links, tree);
	link_by_weight(tree, hidden, &links);
	order = order_of_links(tree, &links, ret_count);
	links_done(&links);
	return order;
}

uint32_t *tree_order_any(const struct tree *tree)
{
	struct links links;
	uint32_t *order;
	size_t count;

	links_init(&links, tree);
	for (size_t id = tree->nodes.count; id-- > 1;)
		add_first(tree, &links, (uint32_t)id);
	order = order_of_links(tree, &links, &count);
	links_done(&links);
	return order;
}
