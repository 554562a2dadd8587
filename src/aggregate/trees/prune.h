/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which branches of a tree to show, and the sums of the others. */
#ifndef AGGREGATE_TREES_PRUNE_H
#define AGGREGATE_TREES_PRUNE_H

#include "aggregate/trees/tree.h"

struct prune_limits {
	double threshold; /* lowest share of a node, in percent as tree_percent */
	size_t limit;	  /* most nodes, the heaviest ones; 0: all */
	size_t max_depth; /* most nodes below each other; 0: no limit */
	const bool *keep; /* by place: the threshold does not hide these right below the root or a
			   * shown group; NULL: it may hide all */
};

/* The hidden nodes directly below a node. */
struct prune_rest {
	uint32_t nodes;
	struct hits hits; /* with everything below them */
};

struct prune {
	bool *hidden;		 /* by node; children of hidden nodes are hidden too */
	struct prune_rest *rest; /* by node that is not hidden */
};

void prune_make(const struct tree *tree, const struct prune_limits *limits,
		struct prune *ret_prune);
/* Also hides all but the heaviest @limit, at least 1, of the nodes that @prune, made for this tree,
 * shows. */
void prune_tighten(const struct tree *tree, size_t limit, struct prune *prune);
void prune_done(struct prune *prune);

#endif
