/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a diff shows, and how: the one input of everything that prints a diff. */
#ifndef PRESENT_DIFF_VIEW_H
#define PRESENT_DIFF_VIEW_H

#include "aggregate/diff/diff.h"
#include "present/diff_answers.h"

/* A run, with what a reader must know to trust the numbers. Everything is borrowed. */
struct diff_source {
	enum diff_side side;
	const char *file;
	const struct profile *profile;
	uint64_t samples;	 /* selected samples of all events */
	uint64_t wall_ns;	 /* of the run, or of the selected part of it; 0: unknown */
	double complete_percent; /* complete stacks; below 0: none were recorded */
};

/* What rows are sorted by. */
enum diff_order {
	DIFF_BY_EFFECT, /* the largest change of the measure first */
	DIFF_BY_RATIO,	/* the largest relative change first */
	DIFF_BY_OLD,
	DIFF_BY_NEW,
	DIFF_BY_NAME,
	DIFF_ORDERS,
};

struct diff_view {
	const struct diff *diff;
	const struct diff_source *sources; /* old ones first */
	size_t source_count;
	const char *selection; /* its clauses as typed; NULL: none */
	bool command_only;     /* only processes of the profiled command */
	bool all;	       /* also rows within noise */
	enum diff_order order;
	double threshold;		   /* minimum share of a row on either side, in percent */
	size_t limit;			   /* maximum number of rows of an event; 0: all */
	const struct diff_answer *answers; /* one for each --fail-if */
	size_t answer_count;
	bool colour;
};

/* "effect", "ratio" ... */
const char *diff_view_order_name(enum diff_order order);

/* The rows to show of an event, sorted. The caller frees the array. *ret_hidden: how many rows
 * threshold and limit removed, not counting those within noise. */
const struct diff_row **diff_view_rows(const struct diff_view *view, uint8_t event,
				       size_t *ret_count, size_t *ret_hidden);

/* Appends, as one line, which circumstances differ between the sources; "" if none. */
void diff_view_differences(const struct diff_view *view, struct buf *buf);

#endif
