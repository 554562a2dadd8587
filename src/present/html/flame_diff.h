/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame graph of what changed, as one HTML file (present/html/flame.h). The width of a box is its
 * new weight (the page can show the old one), and its colour how its share changed. */
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
	const char *head;  /* the rest of it, in lines */
	bool inverted;	   /* the page starts inverted */
	double threshold;  /* minimum share of a box on either side, in percent */
};

/* The texts need not be safe. Write errors are left in @out for ferror(). */
void flame_diff_print(const struct flame_diff *flame, FILE *out);

#endif
