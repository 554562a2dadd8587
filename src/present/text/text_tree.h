/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree as text. A node that is the only one shown below another stands at the same indentation,
 * so that depth costs lines but no columns; recursion in such a chain is one line.
 */
#ifndef PRESENT_TEXT_TEXT_TREE_H
#define PRESENT_TEXT_TEXT_TREE_H

#include <stdio.h>

#include "aggregate/trees/prune.h"
#include "present/view.h"

/* Titles, then a line for each node that is not hidden. What is hidden below a node is a line
 * "(N more)" if it comes to @least percent together. @self: whether that is told too. Of @view only
 * columns and colour are looked at. */
void text_tree_print(const struct view *view, const struct tree *tree, const struct prune *prune,
		     double least, bool self, FILE *out);

#endif
