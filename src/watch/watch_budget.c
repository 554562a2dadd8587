/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch_budget.h"

#include "base/clock.h"

static void keep(struct watch_budget *budget, uint64_t now_ns, uint64_t cost_ns)
{
	budget->past[budget->checks++ % WATCH_BUDGET_KEPT] =
		(struct watch_spending){ .time_ns = now_ns, .cost_ns = cost_ns };
}

/* The latest check that is at least a second old, else the oldest kept. */
static struct watch_spending second_ago(const struct watch_budget *budget, uint64_t now_ns)
{
	struct watch_spending found = { .time_ns = now_ns };

	for (size_t i = 1; i <= budget->checks && i <= WATCH_BUDGET_KEPT; i++) {
		found = budget->past[(budget->checks - i) % WATCH_BUDGET_KEPT];
		if (now_ns - found.time_ns >= NS_PER_S)
			break;
	}
	return found;
}

void watch_budget_begin(struct watch_budget *budget, double part, uint64_t now_ns)
{
	*budget = (struct watch_budget){ .part = part };
	keep(budget, now_ns, 0);
}

bool watch_budget_passed(struct watch_budget *budget, uint64_t now_ns, uint64_t cost_ns)
{
	struct watch_spending before = second_ago(budget, now_ns);
	uint64_t took_ns = now_ns - before.time_ns;

	keep(budget, now_ns, cost_ns);
	if (took_ns < NS_PER_S)
		took_ns = NS_PER_S;
	return budget->part > 0 &&
	       (double)(cost_ns - before.cost_ns) > budget->part * (double)took_ns;
}
