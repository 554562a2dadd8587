/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of --fail-if, in words and for programs. */
#ifndef PRESENT_DIFF_ANSWERS_H
#define PRESENT_DIFF_ANSWERS_H

#include <stdio.h>

#include "aggregate/diff/condition.h"

struct diff_answer {
	const struct conditions *asked;	  /* one --fail-if; borrowed */
	struct condition_result *results; /* one for each condition; owned */
	bool holds;			  /* all conditions hold */
};

/* Appends, safe for terminals, a text like "share(parse) > +2%: 12.10 % became 15.30 % (+3.20 %, 95
 * % interval +2.10 % to +4.30 %)". */
void diff_answers_add(const struct diff *diff, const struct condition *condition,
		      const struct condition_result *result, struct buf *buf);

/* Appends a line for each condition on a change that holds, but has no row in the table: a change
 * within the noise of many rows may be significant when it is tested alone. Returns the number of
 * lines. */
size_t diff_answers_add_alone(const struct diff *diff, const struct diff_answer *answers,
			      size_t count, struct buf *buf);

/* Prints a line for each condition, below a title. */
void diff_answers_print(const struct diff *diff, const struct diff_answer *answers, size_t count,
			FILE *out);
/* Appends a JSON array. */
void diff_answers_add_json(const struct diff *diff, const struct diff_answer *answers, size_t count,
			   struct buf *json);

#endif
