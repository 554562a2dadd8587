/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/watch_budget.h"

#include "base/clock.h"

bool watch_budget_passed(struct watch_budget *budget, uint64_t cost_ns)
{
	uint64_t *place = &budget->costs_ns[budget->checks % WATCH_BUDGET_CHECKS];
	uint64_t second_ago_ns = budget->checks < WATCH_BUDGET_CHECKS ? 0 : *place;

	*place = cost_ns;
	budget->checks++;
	return budget->part > 0 &&
	       (double)(cost_ns - second_ago_ns) > budget->part * (double)NS_PER_S;
}
