/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file to a tree of callers and callees: load, select, merge, print. */
#ifndef VIEWS_GRAPH_H
#define VIEWS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "load/opened.h"
#include "load/selection.h"

/* Texts are borrowed. Percentages are shares of weight within the selection. */
struct graph_options {
	const char *by; /* NULL: function */
	struct selection selection;
	struct opened_names names;
	const char *symbol; /* show its callers and callees; NULL: everything */
	bool inverted;	    /* from the sampled functions to their callers */
	bool flat;	    /* no tree: a table, sorted by own weight */
	bool calls;	    /* no tree: each function with its callers and callees */
	bool dot;	    /* no tree: a picture for Graphviz */
	const char *counts; /* with @calls: a file of exact counts (call_counts.h); NULL: none */
	size_t limit;	    /* most nodes or rows; 0: all */
	double threshold;   /* least share of a node or row; below 0: 0.5 in text and pictures, of
			     * the symbol's weight if there is one; else 0 */
	size_t max_depth;   /* deepest level; 0: any */
	const char *format; /* "text", "csv", "json"; NULL: text */
	size_t columns;	    /* of the terminal; 0: unknown */
	bool colour;
};

/* Checks all that does not need a profile. -EINVAL and one line. */
int graph_check(const struct graph_options *options, struct err *err);

/* Prints the graph of the profile at @path. Errors as report_print; -ENODATA also if no function
 * matches options->symbol. */
int graph_print(const char *path, const struct graph_options *options, FILE *out, struct err *err);

#endif
