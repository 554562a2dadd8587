/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --fail-if: which changes count as failure. An expression is one or more conditions joined by
 * "and", which must all hold:
 *
 *   [any] [point|likely|surely] MEASURE[(WHAT)] OPERATOR VALUE
 *
 * - MEASURE: share, time, rate or samples.
 * - WHAT: a glob for functions or, with an equals sign, clauses as in aggregate/select.h. Without
 *   it, everything.
 * - any: judge each row of the table whose name matches. Without it, the sum of all matches.
 * - OPERATOR: > >= < <=.
 * - VALUE: with a sign a change, without one the new side's value. For a share, +2% and 30% are
 *   points and a share. For a time, +5% is a relative and +0.5s an absolute increase. 1.1x is the
 *   ratio of the new side to the old.
 *
 * Estimates, variances and the limit for a real change are those of the table. The table's rows are
 * tested together; a condition is tested alone, except with "any".
 *
 * A condition holds
 * - at "point" if the measured value is beyond VALUE
 * - at "likely" (the default) if a change is beyond VALUE and real, or the whole interval of the
 *   new side's value is beyond VALUE
 * - at "surely" if the whole 95 % interval is beyond VALUE
 */
#ifndef AGGREGATE_DIFF_CONDITION_H
#define AGGREGATE_DIFF_CONDITION_H

#include <stdbool.h>

#include "aggregate/diff/diff.h"
#include "base/err.h"

enum condition_what { CONDITION_SHARE, CONDITION_TIME, CONDITION_RATE, CONDITION_SAMPLES };

enum condition_certainty { CONDITION_LIKELY, CONDITION_POINT, CONDITION_SURELY };

/* Which result is compared with the value. */
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
	char *names;  /* the text in the parentheses; NULL: everything */
	bool selects; /* names are clauses as in --select */
	bool less;    /* < or <=, else > or >= */
	bool or_equal;
	enum condition_of of;
	double value; /* in the unit of the result it is compared with */
};

/* The conditions of one --fail-if. Zero-initialised is empty. */
struct conditions {
	const char *text; /* as typed, borrowed */
	VEC(struct condition) items;
};

/* -EINVAL and one line that says what is wrong, and where; *ret_conditions is untouched then. */
int condition_parse(const char *text, struct conditions *ret_conditions, struct err *err);
void condition_done(struct conditions *conditions);

/* True if a function's name matches in any of its forms: as shown, without compilers' suffixes, or
 * without these and its parameters. */
bool condition_names(const struct condition *condition, const char *name);

/* The result of a condition. */
struct condition_result {
	bool holds;
	bool found;		    /* anything matched on either side */
	const struct diff_row *row; /* the judged row; of "any" the worst */
	double value;		    /* the compared result */
	struct interval interval;   /* 95 %, of value */
	/* A change of the measure that would be found with the probability diff_found, if tested
	 * alone. */
	double detectable;
	/* Above 0: the change is beyond the value and its interval shows a change, but this
	 * probability exceeds the limit. Of "any": the row's q. NaN: too few samples. */
	double chance;
};

/* @probe: the measurement for a condition without "any". */
struct condition_result condition_judge(const struct condition *condition, const struct diff *diff,
					const struct diff_row *probe);

/* The measure that the condition compares; that of CONDITION_SAMPLES is the time. */
enum diff_measure condition_measure(const struct condition *condition);

/* True if the condition can only hold if something changed. False if it also holds without a change
 * ("> -5%") or compares a level. */
bool condition_asks_change(const struct condition *condition);

/* True if the table shows a changed row that the condition covers. */
bool condition_is_shown(const struct condition *condition, const struct diff *diff);

#endif
