/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as one self-contained HTML file; web/flame has the scripts. The tree is stored as
 * columns of LEB128 numbers in base64, a few bytes for each node; names as JSON in which nothing
 * can end its HTML element.
 */
#ifndef PRESENT_HTML_FLAME_H
#define PRESENT_HTML_FLAME_H

#include <stdio.h>

#include "aggregate/trees/prune.h"
#include "present/view.h"

struct flame {
	const struct tree *tree;   /* from the roots */
	const struct prune *prune; /* hidden nodes become one node below each parent */
	const char *title;
	bool inverted; /* the page starts inverted */
	/* For pages that show more than a flame graph; else NULL. */
	const char *page; /* with @DATA@ in place of the JSON */
	/* Appends members of the JSON object, each after a comma. @of_node: for each node of the
	 * tree its number in the page's columns, from 1 on; for a hidden node that of the node that
	 * replaces it. */
	void (*more)(void *context, const uint32_t *of_node, struct buf *json);
	void *more_context;
};

/* Uses the members of @view that trust_print uses. Write errors are left in @out for ferror(). */
void flame_print(const struct view *view, const struct flame *flame, FILE *out);

#endif
