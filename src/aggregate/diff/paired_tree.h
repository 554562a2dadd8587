/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of two profiles as one tree: each node has the hits of both sides. Functions match if
 * their names and files mean the same, see aggregate/diff/rebuilt.h. A parent has a smaller
 * number than its children.
 */
#ifndef AGGREGATE_DIFF_PAIRED_TREE_H
#define AGGREGATE_DIFF_PAIRED_TREE_H

#include "aggregate/diff/rebuilt.h"
#include "aggregate/trees/tree.h"

struct paired_name {
	str_id text;  /* in strings */
	str_id image; /* its path; 0: groups, and functions in several */
	enum image_kind kind;
	bool is_group;
};

struct paired_node {
	uint32_t parent;
	uint32_t name;
	struct hits self[DIFF_SIDES];
	struct hits total[DIFF_SIDES]; /* with everything below */
};

struct paired_tree {
	struct strpool strings;
	VEC(struct paired_name) names;
	VEC(struct paired_node) nodes; /* [0]: everything */
};

/* One side for paired_tree_new. Both trees start from the roots. */
struct paired_side {
	const struct tree *tree;
	const char *command; /* the path of the profiled program, which matches the other side's
				whatever its name, as does a group that has this name; NULL:
				unknown */
};

struct paired_tree *paired_tree_new(const struct paired_side *old, const struct paired_side *new);
void paired_tree_free(struct paired_tree *tree); /* NULL is fine */
DEFINE_CLEANUP(struct paired_tree *, paired_tree_free);

/* The nodes from the root on in depth-first order: each before everything below it, and that before
 * its next sibling. The caller frees the numbers, one for each node. */
uint32_t *paired_tree_order(const struct paired_tree *tree);

#endif
