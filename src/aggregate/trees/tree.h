/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of one event merged into a tree of places. Every node stands for all stacks that begin
 * with the places from the root to it; its parent has a smaller number, so that what is true of
 * parents or children is worked out by going through the nodes once, up or down, and nothing here
 * recurses: stacks may be as deep as they like.
 */
#ifndef AGGREGATE_TREES_TREE_H
#define AGGREGATE_TREES_TREE_H

#include "aggregate/split.h"
#include "aggregate/tables/table.h"
#include "aggregate/trees/places.h"

/* A profile may hold more stacks than can be shown: nodes beyond this many are not made, what they
 * would have had stays with the nearest of their parents that was. */
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
	struct hits total; /* and of those that go on */
};

struct tree {
	const struct table *stacks;  /* borrowed */
	const struct places *places; /* borrowed */
	VEC(struct tree_node) nodes; /* [0]: everything */
	uint32_t *of_row; /* nodes by row of stacks: where its samples are; TREE_NO_NODE: nowhere */
	struct hashidx index;	   /* private */
	VEC(uint32_t) first_child; /* private, by node; 0: it has none */
	uint8_t event;
	bool is_short; /* TREE_MAX_NODES was not enough */
};

/*
 * @stacks: a table whose last key is keys_stack_id(), not finished; where it has other keys before
 * that, the tree begins with a node for each of their combinations: the groups.
 * @focus: NULL, or by place whether it is looked at: then only what these call, or who calls them,
 * is in the tree, from the outermost of them in each stack on. Each stack counts once.
 */
struct tree *tree_new(const struct table *stacks, const struct places *places, uint8_t event,
		      enum tree_direction direction, const bool *focus);
/* The same for who shows no node below @least percent of the event: in a tree from the leaves,
 * which may have a node for each frame of each stack, nothing is made below such nodes, and what
 * would be there is their own. */
struct tree *tree_new_above(const struct table *stacks, const struct places *places, uint8_t event,
			    enum tree_direction direction, const bool *focus, double least);
void tree_free(struct tree *tree); /* NULL is fine */
DEFINE_CLEANUP(struct tree *, tree_free);

/* Is the node one of the groups? */
bool tree_is_group(const struct tree *tree, uint32_t node);
/* Appends what a node is called; "all" for the root. */
void tree_text(const struct tree *tree, uint32_t node, struct buf *buf);

/* The total of a node in percent of the event within the selection, also for a tree with a focus.
 */
double tree_percent(const struct tree *tree, uint64_t weight);

#endif
