/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of one event merged into a tree of places. A node stands for all stacks that begin with
 * the places from the root to it. Its parent has a smaller number, so one pass over the nodes, up
 * or down, computes anything about parents or children without recursion, whatever the depth of
 * stacks.
 */
#ifndef AGGREGATE_TREES_TREE_H
#define AGGREGATE_TREES_TREE_H

#include <stdbool.h>

#include "aggregate/keys.h"
#include "aggregate/split.h"
#include "aggregate/tables/table.h"
#include "base/cleanup.h"
#include "base/vec.h"

/* ---- places ---- */

/* Places group the frames of a profile for a view of stacks: frames that are equal in some keys,
 * e.g. the function, are one place. Places are small numbers from 0 on. */
struct place {
	uint32_t frame; /* its first frame */
	bool one_image; /* all of its frames are in the same */
};

struct places {
	const struct labels *labels; /* borrowed */
	struct key_list keys;
	VEC(struct place) rows;
	uint32_t *of_frame; /* by frame of the profile */
};

/* Every key must have of_frame. */
struct places *places_new(const struct labels *labels, const struct key_list *keys);
void places_free(struct places *places); /* NULL is fine */
DEFINE_CLEANUP(struct places *, places_free);

/* Appends the texts of the keys, separated by ", ", for a reader who sees the image. */
void places_text(const struct places *places, uint32_t place, struct buf *buf);
/* The image of the place's frames; 0 if they are in several. */
uint32_t places_image(const struct places *places, uint32_t place);
/* True if places_text has the image. */
bool places_tell_image(const struct places *places);
/* True for the root of a cut stack, which stands for the reason. */
bool places_is_cut(const struct places *places, uint32_t place);

/* Which places have a text that matches @pattern, character by character or as a glob (see
 * aggregate/select.h): one bool for each, which the caller frees. NULL: none matches. */
bool *places_match(const struct places *places, const char *pattern);

/* ---- trees ---- */

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
/* The image of a node as of places_image; 0 for the root and groups. */
uint32_t tree_image(const struct tree *tree, uint32_t node);
/* Appends the name of a node; "all" for the root. */
void tree_text(const struct tree *tree, uint32_t node, struct buf *buf);

/* A node's weight in percent of the event within the selection, also for a tree with a focus. */
double tree_percent(const struct tree *tree, uint64_t weight);

/* The nodes from the root on in depth-first order: each before everything below it, and that before
 * its next sibling; heaviest sibling first. Without nodes that @hidden (by node; NULL: none) marks,
 * never the root, and everything below them. The caller frees the numbers. */
uint32_t *tree_order(const struct tree *tree, const bool *hidden, size_t *ret_count);
/* The same for all nodes, with siblings in order of their numbers, which is cheaper. */
uint32_t *tree_order_any(const struct tree *tree);
/* The same for any tree, from the parent of each of its @count nodes; 0 is the root. */
uint32_t *tree_depth_first(const uint32_t *parents, size_t count);

#endif
