/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is shown of a call graph, in whatever form. */
#ifndef PRESENT_CALLS_VIEW_H
#define PRESENT_CALLS_VIEW_H

#include "aggregate/trees/calls.h"
#include "present/view.h"

/* Everything is borrowed. */
struct calls_view {
	const struct view *view;
	const struct calls *calls; /* finished */
	const char *file;	   /* the profile, for people */
	double threshold;	   /* least share of a function, in percent */
	size_t limit;		   /* most functions; 0: all */
	const bool *focus;	   /* by place: only these have entries; NULL: all have */
	double each;		   /* calls that one recorded call stands for; 0: not known */
	const char *counts_file;   /* where they were counted; NULL: they were recorded */
	const char *count_problem; /* why there are no counts, a sentence; NULL: nothing to say */
};

/* The numbers of the functions that have an entry, in order of their rank, with how many there are.
 * The caller frees them. */
uint32_t *calls_view_entries(const struct calls_view *view, size_t *ret_count);

#endif
