/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of one event merged into a tree of places. A node stands for all stacks that begin with
 * the places from the root to it. Its parent has a smaller number, so one pass over the nodes, up
 * or down, computes anything about parents or children without recursion, whatever the depth of
 * stacks.
 */
#ifndef AGGREGATE_TREES_TREE_H
#define AGGREGATE_TREES_TREE_H

#include "aggregate/split.h"
#include "aggregate/tables/table.h"
#include "aggregate/trees/places.h"

/* A profile may have more stacks than can be shown: no more nodes than this are created. Samples of
 * others count at their nearest existing parent. */
enum { TREE_MAX_NODES = 1 << 24 };
#define TREE_NO_NODE UINT32_MAX

enum tree_direction {
	TREE_FROM_ROOTS,  /* children are callees */
	TREE_FROM_LEAVES, /* children are callers */
};

struct tree_node {
	uint32_t parent;   /* below the node's own number; the root, 0, has itself */
	uint32_t place;	   /* for a group: places.rows.count + its row in the table */
	struct hits self;  /* of the stacks that end here */
	struct hits total; /* and of those that continue */
};

struct tree {
	const struct table *stacks;  /* borrowed */
	const struct places *places; /* borrowed */
	VEC(struct tree_node) nodes; /* [0]: everything */
	uint32_t *of_row;     /* by row of stacks: the node with its samples; TREE_NO_NODE: none */
	struct hashidx index; /* private */
	VEC(uint32_t) first_child; /* private, by node; 0: it has none */
	uint8_t event;
	bool is_short; /* TREE_MAX_NODES was not enough */
};

/*
 * @stacks: a table whose last key is keys_stack_id(), not finished. If it has other keys before
 * that, the tree begins with a node for each combination of their values: the groups. @focus: NULL,
 * or by place whether to focus on it: then the tree has only what these places call, or who calls
 * them, from the outermost of them in each stack on. Each stack counts once.
 */
struct tree *tree_new(const struct table *stacks, const struct places *places, uint8_t event,
		      enum tree_direction direction, const bool *focus);
/* The same for views that show no node below @least percent of the event. A tree from the leaves
 * may have a node for each frame of each stack, so nothing is created below such nodes: they keep
 * its samples as their own. */
struct tree *tree_new_above(const struct table *stacks, const struct places *places, uint8_t event,
			    enum tree_direction direction, const bool *focus, double least);
void tree_free(struct tree *tree); /* NULL is fine */
DEFINE_CLEANUP(struct tree *, tree_free);

/* True if the node is a group. */
bool tree_is_group(const struct tree *tree, uint32_t node);
/* Appends the name of a node; "all" for the root. */
void tree_text(const struct tree *tree, uint32_t node, struct buf *buf);

/* A node's weight in percent of the event within the selection, also for a tree with a focus. */
double tree_percent(const struct tree *tree, uint64_t weight);

#endif
