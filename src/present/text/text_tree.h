/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree as text. If only one node is shown below another, it has the same indentation: depth costs
 * lines but no columns. Recursion within such a chain is one line.
 */
#ifndef PRESENT_TEXT_TEXT_TREE_H
#define PRESENT_TEXT_TEXT_TREE_H

#include <stdio.h>

#include "aggregate/trees/prune.h"
#include "present/view.h"

/* Prints titles, then a line for each node that is not hidden. Hidden nodes below a node become a
 * line "(N more)" if they add up to at least @least percent. @self: adds the column Self %. Uses
 * only the screen of @view. */
void text_tree_print(const struct view *view, const struct tree *tree, const struct prune *prune,
		     double least, bool self, FILE *out);

#endif
