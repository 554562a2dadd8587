/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of each process, for one event. */
#ifndef AGGREGATE_TABLES_SUMMARY_H
#define AGGREGATE_TABLES_SUMMARY_H

#include <stddef.h>

#include "aggregate/split.h"
#include "base/vec.h"
#include "model/profile.h"

struct process_row {
	uint32_t process; /* in the profile */
	struct split split;
	size_t first, count; /* its totals: summary.totals[first] ... */
};

struct summary {
	uint8_t event;	      /* the event of everything here */
	struct total *totals; /* of that event, by process; owned */
	size_t total_count;
	VEC(struct process_row) rows; /* the heaviest first; none without samples */
	struct split sum;
	uint64_t weight; /* of all */
	double weight_squared;
};

/* @totals: the selected ones, of any events. */
void summary_make(const struct profile *profile, const struct total *totals, size_t count,
		  uint8_t event, struct summary *ret_summary);
void summary_done(struct summary *summary);

/* The event of a report of @totals: the first CPU event that counts ns, else the first of any
 * kind. */
uint8_t summary_main_event(const struct profile *profile, const struct total *totals, size_t count);

/* Percent of the summary's weight; 0 if that is 0. */
double summary_percent(const struct summary *summary, uint64_t weight);

#endif
