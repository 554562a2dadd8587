/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to show of a call graph, in any format. */
#ifndef PRESENT_CALLS_VIEW_H
#define PRESENT_CALLS_VIEW_H

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

#endif
