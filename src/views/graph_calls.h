/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of a graph that show functions, not paths: tables of callers and callees (--calls), and
 * a picture (--dot). */
#ifndef VIEWS_GRAPH_CALLS_H
#define VIEWS_GRAPH_CALLS_H

#include <stdbool.h>
#include <stdio.h>

#include "aggregate/trees/places.h"
#include "load/format.h"
#include "load/opened.h"
#include "views/call_counts.h"

/* Everything is borrowed. */
struct graph_calls {
	struct opened *opened;
	const struct table *stacks; /* keyed by stack alone: the selection */
	const struct places *places;
	const bool *focus; /* by place: matches SYMBOL; NULL: everything */
	const char *path;  /* of the profile */
	enum format format;
	const double *least; /* least percent of a function to be shown, by event */
	size_t limit;
	const struct call_counts *counts; /* exact counts; NULL: none */
	const char *counts_file;	  /* the file with the counts */
	bool counts_hold; /* no selection was given, so branches are those of these samples */
};

/* Prints tables of every event in the selection, with the calls from branches of imports. Negative
 * errno if branches cannot be read. */
int graph_calls_print(const struct graph_calls *graph, const struct view *view, FILE *out,
		      struct err *err);
/* Prints the picture of the main event; with @focus only stacks that contain it. */
void graph_calls_draw(const struct graph_calls *graph, const struct view *view, FILE *out);

#endif
