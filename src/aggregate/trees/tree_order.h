/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders of a tree's nodes. */
#ifndef AGGREGATE_TREES_TREE_ORDER_H
#define AGGREGATE_TREES_TREE_ORDER_H

#include "aggregate/trees/tree.h"

/* The nodes from the root on in depth-first order: each before everything below it, and that before
 * its next sibling; heaviest sibling first. Without nodes that @hidden (by node; NULL: none) marks,
 * never the root, and everything below them. The caller frees the numbers. */
uint32_t *tree_order(const struct tree *tree, const bool *hidden, size_t *ret_count);
/* The same for all nodes, with siblings in any order, which is cheaper. */
uint32_t *tree_order_any(const struct tree *tree);

#endif
