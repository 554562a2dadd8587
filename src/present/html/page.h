/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile as one self-contained HTML file: flame graph, table, callers and callees of a function,
 * heat map of time and lanes of threads, for each event; web/page has the scripts. It also can be
 * about what changed between two profiles.
 */
#ifndef PRESENT_HTML_PAGE_H
#define PRESENT_HTML_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "aggregate/diff/paired_tree.h"
#include "aggregate/trees/heat.h"
#include "aggregate/trees/lanes.h"
#include "aggregate/trees/prune.h"
#include "present/view.h"

/* What the page shows when it is opened. */
enum page_view {
	PAGE_FLAME,
	PAGE_HEAT, /* the heat map, and the flame graph below it */
};

/* The samples of one event. */
struct page_event {
	const struct tree *tree;   /* from the roots; the places are those of all events */
	const struct prune *prune; /* hidden nodes become one node below each parent */
	const struct heat *heat;   /* of nodes of @tree; NULL: not known when it was */
	const struct completeness *completeness;
};

struct page {
	const struct page_event *events;
	size_t event_count;
	size_t first;		   /* the event that is shown when the page is opened */
	const struct lanes *lanes; /* those of the heat */
	double origin_s;	   /* the heat begins so long after the recording */
	const char *title;
	enum page_view view;
	bool inverted; /* the page starts inverted */
};

/* Uses the members of @view that report_head_print uses. Write errors are left in @out for
 * ferror(). */
void page_print(const struct view *view, const struct page *page, FILE *out);

/* What changed, as one HTML file. The width of a box is its new weight (the page can show the old
 * one), and its colour how its share changed. */
struct page_diff {
	const struct paired_tree *tree;
	const char *title;
	const char *event; /* its name */
	const char *unit;  /* of weights: "ns" or another */
	const char *facts; /* one line: what a reader must know first */
	const char *head;  /* the rest of it, in lines */
	bool inverted;	   /* the page starts inverted */
	double threshold;  /* minimum share of a box on either side, in percent */
};

/* The texts need not be safe. Write errors are left in @out for ferror(). */
void page_diff_print(const struct page_diff *page, FILE *out);

#endif
