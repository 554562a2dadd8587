/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to show of a call graph, and its printers; rows are in present/rows/tree_rows.h. */
#ifndef PRESENT_CALLS_VIEW_H
#define PRESENT_CALLS_VIEW_H

#include <stdio.h>

#include "aggregate/trees/calls.h"
#include "present/view.h"

/* Everything is borrowed. */
struct calls_view {
	const struct view *view;
	const struct calls *calls; /* finished */
	const char *file;	   /* the profile's name, as shown */
	double threshold;	   /* minimum share of a function, in percent */
	size_t limit;		   /* maximum number of functions; 0: all */
	const bool *focus;	   /* by place: only these have entries; NULL: all */
	double each;		   /* calls that one recorded call stands for; 0: unknown */
	const char *counts_file;   /* where calls were counted; NULL: they were recorded */
	const char *count_problem; /* why there are no counts, a sentence; NULL: none */
};

/* The functions that have an entry, in order of rank; *ret_count: how many. The caller frees
 * them. */
uint32_t *calls_view_entries(const struct calls_view *view, size_t *ret_count);

/* Prints the graph as gprof and q-view do: a flat profile; for each function its callers, itself
 * with its number, and its callees; and an index. Unknown values are "-". Write errors are left in
 * @out for ferror(). */
void text_calls_print(const struct calls_view *view, FILE *out);

/* Prints a picture in the language of Graphviz, for dot(1). A node for each function of the view:
 * its text is larger the more samples hit the function itself, and its colour redder the more it
 * took with its callees. An arrow for each call between two of them, as wide as its share. Any name
 * is quoted safely. Write errors are left in @out for ferror(). */
void dot_print(const struct calls_view *view, FILE *out);

#endif
