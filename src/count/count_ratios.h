/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one counted event says beside another, or beside time: per cycle, per second, in percent. */
#ifndef COUNT_COUNT_RATIOS_H
#define COUNT_COUNT_RATIOS_H

#include <stdbool.h>

#include "model/counts.h"

/* How the ratio of an event is made. */
struct count_ratio {
	int over;	  /* index of the event it is divided by; -1: the wall clock, in ns */
	double factor;	  /* of the quotient */
	const char *unit; /* what it is then: "per cycle", "% of branches" */
};

/* The ratio of events[@event]. false: there is none to be had. Events that are counted in different
 * modes have none. */
bool count_ratios_find(const struct count_event *events, size_t count, size_t event,
		       struct count_ratio *ret_ratio);

/* Its value in a row; NAN when what it is divided by was not counted, or was nothing. */
double count_ratios_value(const struct count_ratio *ratio, const struct count_event *events,
			  size_t event, const struct count_value *values, uint64_t wall_ns);

#endif
