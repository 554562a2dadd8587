/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which branches of a tree are worth showing, and what the others come to. */
#ifndef AGGREGATE_TREES_PRUNE_H
#define AGGREGATE_TREES_PRUNE_H

#include "aggregate/trees/tree.h"

struct prune_limits {
	double threshold; /* least share of a node, in percent as tree_percent */
	size_t limit;	  /* most nodes, the heaviest; 0: all */
	size_t max_depth; /* most nodes above each other; 0: any number */
	const bool *keep; /* by place: where the tree or a group that is shown begins with them, the
			   * threshold does not hide these; NULL: it may hide all */
};

/* What is hidden right below a node. */
struct prune_rest {
	uint32_t nodes;
	struct hits hits; /* with all that is below them */
};

struct prune {
	bool *hidden;		 /* by node; children, which are no heavier, are hidden too */
	struct prune_rest *rest; /* by node that is not hidden */
};

void prune_make(const struct tree *tree, const struct prune_limits *limits,
		struct prune *ret_prune);
/* Hides also what is not among the heaviest @limit, at least 1, of the nodes that @prune, of this
 * tree, shows. */
void prune_tighten(const struct tree *tree, size_t limit, struct prune *prune);
void prune_done(struct prune *prune);

#endif
