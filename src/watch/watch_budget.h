/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a watch may cost: the part of one CPU that it took over the last second. */
#ifndef WATCH_WATCH_BUDGET_H
#define WATCH_WATCH_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WATCH_BUDGET_CHECKS = 10,		     /* in a second, at most */
	WATCH_BUDGET_KEPT = WATCH_BUDGET_CHECKS + 1, /* what a second ends with, and begins with */
};

/* What had been spent at a moment of CLOCK_MONOTONIC. */
struct watch_spending {
	uint64_t time_ns, cost_ns;
};

struct watch_budget {
	double part;				       /* of one CPU; 0: no limit */
	struct watch_spending past[WATCH_BUDGET_KEPT]; /* the last checks, a ring */
	size_t checks;				       /* ever; the beginning is one */
};

/* Nothing has been spent yet. */
void watch_budget_begin(struct watch_budget *budget, double part, uint64_t now_ns);

/* To be called WATCH_BUDGET_CHECKS times a second or less often, with the cost since the beginning.
 * True: since the last check that is a second old, or since the beginning, more was spent than may
 * be in that time; what took less than a second may take a second's part. */
bool watch_budget_passed(struct watch_budget *budget, uint64_t now_ns, uint64_t cost_ns);

#endif
