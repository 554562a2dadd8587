/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts as shown: of one run, or means of several with 95 % intervals. */
#ifndef COUNT_COUNT_TABLE_H
#define COUNT_COUNT_TABLE_H

#include <stdbool.h>

#include "aggregate/estimate.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "model/counts.h"

/* How to compute the ratio of an event. */
struct count_ratio {
	int over;	  /* index of the event it is divided by; -1: the wall clock, in ns */
	double factor;	  /* multiplies the quotient */
	const char *unit; /* of the result: "per cycle", "% of branches" */
};

/* A number, and its error. */
struct count_number {
	double value;
	double half; /* half the 95 % interval; 0 with one run */
};

struct count_figure {
	enum count_state state;
	struct count_number count; /* scaled up to all the time that was wanted */
	double percent_counted;
	bool has_ratio;
	struct count_number ratio;
};

struct count_line {
	struct count_key key;
	double runs; /* executions of the program, per run of the command */
	struct count_figure figures[COUNTS_MAX_EVENTS];
};

struct count_table {
	struct count_event events[COUNTS_MAX_EVENTS];
	bool has_ratio[COUNTS_MAX_EVENTS];
	struct count_ratio ratios[COUNTS_MAX_EVENTS];
	size_t event_count;
	VEC(struct count_line) lines;
	struct count_line total; /* of all lines */
	size_t repeats;
	struct count_number wall_s;
	double ended_s; /* of an interval; since the start of counting */
	bool complete;
};

/* @runs: @count (> 0) results of the same command with the same events. Lines are those of the
 * first run, then those only later runs have. A run without a line counts as 0 there. */
struct count_table *count_table_new(const struct counts *runs, size_t count);
void count_table_free(struct count_table *table); /* NULL is fine */
DEFINE_CLEANUP(struct count_table *, count_table_free);

#endif
