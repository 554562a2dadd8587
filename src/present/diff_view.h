/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a diff shows, and how, and everything that prints a diff. */
#ifndef PRESENT_DIFF_VIEW_H
#define PRESENT_DIFF_VIEW_H

#include <stdio.h>

#include "aggregate/diff/condition.h"
#include "aggregate/diff/diff.h"
#include "present/screen.h"

/* A run, with what a reader must know to trust the numbers. Everything is borrowed. */
struct diff_source {
	enum diff_side side;
	const char *file;
	const struct profile *profile;
	uint64_t samples;	 /* selected samples of all events */
	uint64_t wall_ns;	 /* of the run, or of the selected part of it; 0: unknown */
	uint64_t from_ns, to_ns; /* since 1970: the time of a history; 0: of a single profile */
	double complete_percent; /* complete stacks; below 0: none were recorded */
};

/* The results of a --fail-if. */
struct diff_answer {
	const struct conditions *asked;	  /* one --fail-if; borrowed */
	struct condition_result *results; /* one for each condition; owned */
	bool holds;			  /* all conditions hold */
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
	struct screen screen;
};

/* "effect", "ratio" ... */
const char *diff_view_order_name(enum diff_order order);

/* The rows to show of an event, sorted. The caller frees the array. *ret_hidden: how many rows
 * threshold and limit removed, not counting those within noise. */
const struct diff_row **diff_view_rows(const struct diff_view *view, uint8_t event,
				       size_t *ret_count, size_t *ret_hidden);

/* Appends, as one line, which circumstances differ between the sources; "" if none. */
void diff_view_differences(const struct diff_view *view, struct buf *buf);

/* Appends, safe for terminals, a text like "share(parse) > +2%: 12.10 % became 15.30 % (+3.20 %, 95
 * % interval +2.10 % to +4.30 %)". */
void diff_answers_add(const struct diff *diff, const struct condition *condition,
		      const struct condition_result *result, struct buf *buf);

/* Appends a line for each condition on a change that holds, but has no row in the table: a change
 * within the noise of many rows may be significant when it is tested alone. Returns the number of
 * lines. */
size_t diff_answers_add_alone(const struct diff *diff, const struct diff_answer *answers,
			      size_t count, struct buf *buf);

/* Prints a line for each condition, below a title; on a screen, a paragraph. */
void diff_answers_print(const struct diff_view *view, FILE *out);
/* Appends a JSON array. */
void diff_answers_add_json(const struct diff *diff, const struct diff_answer *answers, size_t count,
			   struct buf *json);

/* Printers. Write errors are left in @out for ferror(). */

/* Prints what was compared, the table of each event, what was left out, and the results of
 * --fail-if. Names are made safe for terminals. */
void diff_text_print(const struct diff_view *view, FILE *out);

/* As CSV: the keys in order, then event, verdict, q, and for each measure the value of both sides,
 * the change, and its 95 % interval; prospect-diff(1) documents every column. As JSON: {"header":
 * {...}, "rows": [...]} with the same fields. */
void diff_rows_csv(const struct diff_view *view, FILE *out);
void diff_rows_json(const struct diff_view *view, FILE *out);

#endif
