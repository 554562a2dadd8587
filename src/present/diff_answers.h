/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --fail-if found, in words and for programs. */
#ifndef PRESENT_DIFF_ANSWERS_H
#define PRESENT_DIFF_ANSWERS_H

#include <stdio.h>

#include "aggregate/diff/condition.h"

struct diff_answer {
	const struct conditions *asked;	  /* one --fail-if; borrowed */
	struct condition_result *results; /* one for each of its conditions; owned */
	bool holds;			  /* all of them do */
};

/* Appends "share(parse) > +2%: 12.10 % became 15.30 % (+3.20, 95 % within +2.10 to +4.30)", safe
 * for terminals. */
void diff_answers_add(const struct diff *diff, const struct condition *condition,
		      const struct condition_result *result, struct buf *buf);

/* Appends a line for each condition that holds of a change of which the table shows no row: what of
 * many is within noise may be significant when it is asked for alone. Returns how many. */
size_t diff_answers_add_alone(const struct diff *diff, const struct diff_answer *answers,
			      size_t count, struct buf *buf);

/* As lines, below a title. */
void diff_answers_print(const struct diff *diff, const struct diff_answer *answers, size_t count,
			FILE *out);
/* Appends a JSON array. */
void diff_answers_add_json(const struct diff *diff, const struct diff_answer *answers, size_t count,
			   struct buf *json);

#endif
