/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evaluates --fail-if while the samples of each run are read. */
#ifndef VIEWS_DIFF_QUESTIONS_H
#define VIEWS_DIFF_QUESTIONS_H

#include "aggregate/diff/condition.h"
#include "base/err.h"

struct diff_questions {
	struct conditions *items; /* one for each --fail-if */
	size_t count;
	VEC(const struct condition *) probes; /* conditions that add up samples, in their order */
	unsigned uses;			      /* sample fields they need: enum sample_field */
};

/* -EINVAL and one line. Free @ret with diff_questions_done in any case. */
int diff_questions_parse(const char *const *texts, size_t count, struct diff_questions *ret,
			 struct err *err);
void diff_questions_done(struct diff_questions *questions);

/* The questions for one run. */
struct diff_asked;

/* Both are borrowed. NULL and one line in @err: a condition's clauses are wrong. */
struct diff_asked *diff_asked_new(const struct diff_questions *questions,
				  const struct labels *labels, struct err *err);
void diff_asked_free(struct diff_asked *asked); /* NULL is fine */
DEFINE_CLEANUP(struct diff_asked *, diff_asked_free);

/* @cells: NULL if times are not needed. */
void diff_asked_take(struct diff_asked *asked, const struct point *point, struct cells *cells);
/* The sums of each probe. Borrowed. */
const struct diff_probe *diff_asked_probes(const struct diff_asked *asked);

#endif
