/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits the cost of a watch: its share of one CPU over the last second. */
#ifndef WATCH_WATCH_BUDGET_H
#define WATCH_WATCH_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WATCH_BUDGET_CHECKS = 10,		     /* per second, at most */
	WATCH_BUDGET_KEPT = WATCH_BUDGET_CHECKS + 1, /* the ends of a second included */
};

/* The cost up to a time of CLOCK_MONOTONIC. */
struct watch_spending {
	uint64_t time_ns, cost_ns;
};

struct watch_budget {
	double part;				       /* of one CPU; 0: no limit */
	struct watch_spending past[WATCH_BUDGET_KEPT]; /* the last checks, a ring */
	size_t checks;				       /* so far; the beginning is one */
};

/* Starts with a cost of 0. */
void watch_budget_begin(struct watch_budget *budget, double part, uint64_t now_ns);

/* Call it at most WATCH_BUDGET_CHECKS times a second, with the cost since the beginning. True if
 * the cost exceeded the budget since the last check that is a second old, or since the beginning. A
 * shorter time may cost as much as a full second. */
bool watch_budget_passed(struct watch_budget *budget, uint64_t now_ns, uint64_t cost_ns);

#endif
