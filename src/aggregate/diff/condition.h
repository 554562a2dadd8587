/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --fail-if: what must not have changed. An expression is one or several conditions joined by
 * "and", which must all hold:
 *
 *   [any] [point|likely|surely] MEASURE[(WHAT)] OPERATOR VALUE
 *
 * MEASURE is share, time, rate or samples. WHAT is a glob for functions or, with an equals sign,
 * clauses as in aggregate/select.h; without it everything is meant. "any": each row of the table
 * whose name matches is asked for itself, else all that matches is added up. OPERATOR is > >= < <=.
 * VALUE with a sign is a change, without one what the new side has: +2% and 30% of a share are
 * points and a share, +5% of a time is that part more, +0.5s more of it, 1.1x is the new side in
 * proportion to the old one.
 *
 * Estimates, variances and the limit of what is called real are those of the table; the table's
 * rows are tested together, a condition alone, but for "any".
 *
 * A condition holds at "point" when the measured value is beyond VALUE; "likely", which is what
 * nothing means, when a change is beyond it and surely there at all, or the whole interval of what
 * the new side has is beyond it; "surely" when the whole 95 % interval is.
 */
#ifndef AGGREGATE_DIFF_CONDITION_H
#define AGGREGATE_DIFF_CONDITION_H

#include <stdbool.h>

#include "aggregate/diff/diff.h"
#include "base/err.h"

enum condition_what { CONDITION_SHARE, CONDITION_TIME, CONDITION_RATE, CONDITION_SAMPLES };

enum condition_certainty { CONDITION_LIKELY, CONDITION_POINT, CONDITION_SURELY };

/* What the value is compared with. */
enum condition_of {
	CONDITION_DIFFERENCE, /* new - old */
	CONDITION_RATIO,      /* new / old */
	CONDITION_LEVEL,      /* new */
};

struct condition {
	char *text; /* as typed */
	bool any;
	enum condition_certainty certainty;
	enum condition_what what;
	char *names;  /* what is in the parentheses; NULL: everything */
	bool selects; /* names are clauses as in --select */
	bool less;    /* < or <=, else > or >= */
	bool or_equal;
	enum condition_of of;
	double value; /* in the unit of what it is compared with */
};

/* Those of one --fail-if. Zero-initialised is empty. */
struct conditions {
	const char *text; /* as typed, borrowed */
	VEC(struct condition) items;
};

/* -EINVAL and one line that says what is wrong, and where; *ret_conditions is then untouched. */
int condition_parse(const char *text, struct conditions *ret_conditions, struct err *err);
void condition_done(struct conditions *conditions);

/* Does a function's name match? It does by any of its ways to be written: as it is shown, without
 * its parameters, without what compilers add to it. */
bool condition_names(const struct condition *condition, const char *name);

/* What became of a condition. */
struct condition_result {
	bool holds;
	bool found;		    /* anything matched on either side */
	const struct diff_row *row; /* what was judged; of "any" the worst */
	double value;		    /* what was compared */
	struct interval interval;   /* 95 %, of that */
	/* A change of the measure that would have been found, asked for alone, with the probability
	 * diff_found. */
	double detectable;
	/* Above 0: the change is beyond what is asked and its interval shows one, but this
	 * probability is above the limit. Of "any" the row's q. NaN: too few samples to tell. */
	double chance;
};

/* @probe: what was measured of the condition, for those that add up. */
struct condition_result condition_judge(const struct condition *condition, const struct diff *diff,
					const struct diff_row *probe);

/* Can it hold only where something changed? Not if it allows a change ("> -5%"), nor of a level. */
bool condition_asks_change(const struct condition *condition);

/* Does the table show a row that changed, of those the condition is about? */
bool condition_is_shown(const struct condition *condition, const struct diff *diff);

#endif
