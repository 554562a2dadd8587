/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as one HTML file that needs nothing else: web/flame has what runs in it. The tree
 * is in it as columns of LEB128 numbers in base64, a few bytes for each node; names as JSON in
 * which nothing can end the element it is in.
 */
#ifndef PRESENT_HTML_FLAME_H
#define PRESENT_HTML_FLAME_H

#include <stdio.h>

#include "aggregate/trees/prune.h"
#include "present/view.h"

struct flame {
	const struct tree *tree;   /* from the roots */
	const struct prune *prune; /* what is hidden becomes one node below each parent */
	const char *title;
	bool inverted; /* what is shown first */
	/* For pages that show more than a flame graph. NULL: they do not. */
	const char *page; /* with @DATA@ where JSON goes */
	/* Appends members of the JSON object, each with a comma before it. @of_node has for each
	 * node of the tree its number in the page's columns, from 1 on; for a hidden one that of
	 * the node that stands for it. */
	void (*more)(void *context, const uint32_t *of_node, struct buf *json);
	void *more_context;
};

/* Of @view what trust.h says is looked at. Write errors are left in @out for ferror(). */
void flame_print(const struct view *view, const struct flame *flame, FILE *out);

#endif
