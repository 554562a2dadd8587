/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame graph of what changed: boxes are as wide as on the new side (the page can show the old
 * one), their colours say how their shares changed. One HTML file, as present/html/flame.h. */
#ifndef PRESENT_HTML_FLAME_DIFF_H
#define PRESENT_HTML_FLAME_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "aggregate/diff/paired_tree.h"

struct flame_diff {
	const struct paired_tree *tree;
	const char *title;
	const char *unit;  /* of weights: "ns" or another */
	const char *facts; /* one line: what a reader must know first */
	const char *head;  /* lines: the rest of it */
	bool inverted;	   /* what is shown first */
	double threshold;  /* least share of a box on either side, in percent */
};

/* Texts need not be safe. Write errors are left in @out for ferror(). */
void flame_diff_print(const struct flame_diff *flame, FILE *out);

#endif
