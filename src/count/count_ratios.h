/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ratios of one counted event to another, or to time: per cycle, per second, percent. */
#ifndef COUNT_COUNT_RATIOS_H
#define COUNT_COUNT_RATIOS_H

#include <stdbool.h>

#include "model/counts.h"

/* How to compute the ratio of an event. */
struct count_ratio {
	int over;	  /* index of the event it is divided by; -1: the wall clock, in ns */
	double factor;	  /* multiplies the quotient */
	const char *unit; /* of the result: "per cycle", "% of branches" */
};

/* The ratio of events[@event]. False if it has none, as for events counted in different modes. */
bool count_ratios_find(const struct count_event *events, size_t count, size_t event,
		       struct count_ratio *ret_ratio);

/* The ratio's value in a row; NAN if the divisor was not counted or is 0. */
double count_ratios_value(const struct count_ratio *ratio, const struct count_event *events,
			  size_t event, const struct count_value *values, uint64_t wall_ns);

#endif
