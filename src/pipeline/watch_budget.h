/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a watch may cost: the part of one CPU that it took over the last second. */
#ifndef PIPELINE_WATCH_BUDGET_H
#define PIPELINE_WATCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum { WATCH_BUDGET_CHECKS = 10 }; /* in a second */

struct watch_budget {
	double part;				/* of one CPU; 0: no limit */
	uint64_t costs_ns[WATCH_BUDGET_CHECKS]; /* as they stood at the last checks, a ring */
	uint64_t checks;
};

/* To be called WATCH_BUDGET_CHECKS times a second, with the cost since the beginning. True: in the
 * last second, or since the beginning if that is less, more was spent than may be in a second. */
bool watch_budget_passed(struct watch_budget *budget, uint64_t cost_ns);

#endif
