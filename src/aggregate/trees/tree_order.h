/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of a tree in the order in which they are shown or gone through. */
#ifndef AGGREGATE_TREES_TREE_ORDER_H
#define AGGREGATE_TREES_TREE_ORDER_H

#include "aggregate/trees/tree.h"

/* The nodes from the root on, each before what is below it and that before its next sibling;
 * siblings the heaviest first. Without those that @hidden (by node, NULL: none) says, never the
 * root, and what is below them. The caller frees the numbers. */
uint32_t *tree_order(const struct tree *tree, const bool *hidden, size_t *ret_count);
/* The same of all nodes, siblings in any order, which is cheaper. */
uint32_t *tree_order_any(const struct tree *tree);

#endif
