/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a diff is about and how it shall look: the one input of everything that prints one. */
#ifndef PRESENT_DIFF_VIEW_H
#define PRESENT_DIFF_VIEW_H

#include "aggregate/diff/diff.h"
#include "present/diff_answers.h"

/* A run, as a reader must know it to trust the numbers. Everything is borrowed. */
struct diff_source {
	enum diff_side side;
	const char *file;
	const struct profile *profile;
	uint64_t samples; /* that were selected, of all events */
	uint64_t wall_ns; /* of the run, or the part of it that was looked at; 0: not known */
	double complete_percent; /* of the stacks; below 0: none were recorded */
};

/* What rows are sorted by. */
enum diff_order {
	DIFF_BY_EFFECT, /* the largest change of the measure first */
	DIFF_BY_RATIO,	/* the largest change in proportion to what it was */
	DIFF_BY_OLD,
	DIFF_BY_NEW,
	DIFF_BY_NAME,
	DIFF_ORDERS,
};

struct diff_view {
	const struct diff *diff;
	const struct diff_source *sources; /* the old ones first */
	size_t source_count;
	const char *selection; /* its clauses as typed; NULL: there is none */
	bool command_only;     /* processes of the profiled command alone */
	bool all;	       /* rows within noise too */
	enum diff_order order;
	double threshold;		   /* least share of a row on either side, in percent */
	size_t limit;			   /* most rows of an event; 0: all */
	const struct diff_answer *answers; /* one for each --fail-if */
	size_t answer_count;
	bool colour;
};

/* "effect", "ratio" ... */
const char *diff_view_order_name(enum diff_order order);

/* The rows to be shown of an event, sorted. The caller frees the pointers; *ret_hidden: how many
 * were left out by threshold and limit, not counting those within noise. */
const struct diff_row **diff_view_rows(const struct diff_view *view, uint8_t event,
				       size_t *ret_count, size_t *ret_hidden);

/* Appends what of the circumstances is not the same on all sides, as one line; "" if all is. */
void diff_view_differences(const struct diff_view *view, struct buf *buf);

#endif
