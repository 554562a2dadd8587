/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of a graph that are about functions and not about paths: tables of callers and callees
 * (--calls), and a picture (--dot). */
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
	const struct table *stacks; /* by stack alone: what was selected */
	const struct places *places;
	const bool *focus; /* by place, what was asked for; NULL: everything */
	const char *path;  /* of the profile */
	enum format format;
	const double *least; /* percent a function must have to be shown, by event */
	size_t limit;
	const struct call_counts *counts; /* exact ones; NULL: there are none */
	const char *counts_file;	  /* that has them */
	bool counts_hold; /* nothing was selected: branches are those of these samples */
};

/* Prints tables of every event that was selected, with the calls that branches of imports show.
 * Negative errno when these cannot be read. */
int graph_calls_print(const struct graph_calls *graph, const struct view *view, FILE *out,
		      struct err *err);
/* Prints the picture of the main event; of stacks with what was asked for, if anything was. */
void graph_calls_draw(const struct graph_calls *graph, const struct view *view, FILE *out);

#endif
