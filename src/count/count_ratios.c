/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count_ratios.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { WALL = -1 };

static const struct {
	const char *event, *over; /* NULL: the wall clock */
	double factor;
	const char *unit;
} ratios[] = {
	{ "task-clock", NULL, 1, "CPUs used" },
	{ "cpu-clock", NULL, 1, "CPUs used" },
	{ "cycles", "task-clock", 1, "GHz" },
	{ "cycles", "cpu-clock", 1, "GHz" },
	{ "instructions", "cycles", 1, "per cycle" },
	{ "stalled-cycles-frontend", "cycles", 100, "% of cycles" },
	{ "stalled-cycles-backend", "cycles", 100, "% of cycles" },
	{ "branch-misses", "branches", 100, "% of branches" },
	{ "cache-misses", "cache-references", 100, "% of cache-references" },
	{ "L1-dcache-load-misses", "L1-dcache-loads", 100, "% of loads" },
	{ "L1-dcache-store-misses", "L1-dcache-stores", 100, "% of stores" },
	{ "L1-icache-load-misses", "L1-icache-loads", 100, "% of loads" },
	{ "LLC-load-misses", "LLC-loads", 100, "% of loads" },
	{ "LLC-store-misses", "LLC-stores", 100, "% of stores" },
	{ "dTLB-load-misses", "dTLB-loads", 100, "% of loads" },
	{ "dTLB-store-misses", "dTLB-stores", 100, "% of stores" },
	{ "iTLB-load-misses", "iTLB-loads", 100, "% of loads" },
	{ "node-load-misses", "node-loads", 100, "% of loads" },
};

static bool is_alike(const struct count_event *a, const struct count_event *b)
{
	return b->counts_ns || (a->user == b->user && a->kernel == b->kernel);
}

/* The index of the event named @name that @event can be divided by; -1: none. */
static int find(const struct count_event *events, size_t count, const char *name,
		const struct count_event *event)
{
	for (size_t i = 0; i < count; i++) {
		if (events[i].state == COUNT_GOOD && strcmp(events[i].plain, name) == 0 &&
		    is_alike(event, &events[i]))
			return (int)i;
	}
	return -1;
}

static bool find_listed(const struct count_event *events, size_t count, size_t event,
			struct count_ratio *ret_ratio)
{
	for (size_t i = 0; i < COUNT_OF(ratios); i++) {
		int over = WALL;

		if (strcmp(events[event].plain, ratios[i].event) != 0)
			continue;
		if (ratios[i].over)
			over = find(events, count, ratios[i].over, &events[event]);
		if (ratios[i].over && over < 0)
			continue;
		*ret_ratio = (struct count_ratio){ over, ratios[i].factor, ratios[i].unit };
		return true;
	}
	return false;
}

bool count_ratios_find(const struct count_event *events, size_t count, size_t event,
		       struct count_ratio *ret_ratio)
{
	int clock;

	if (events[event].state != COUNT_GOOD)
		return false;
	if (find_listed(events, count, event, ret_ratio))
		return true;
	if (events[event].unit[0] || events[event].counts_ns)
		return false;
	clock = find(events, count, "task-clock", &events[event]);
	*ret_ratio = (struct count_ratio){ clock, (double)NS_PER_S,
					   clock < 0 ? "per second" : "per CPU second" };
	return true;
}

double count_ratios_value(const struct count_ratio *ratio, const struct count_event *events,
			  size_t event, const struct count_value *values, uint64_t wall_ns)
{
	double below = ratio->over < 0 ? (double)wall_ns : counts_scaled(&values[ratio->over]);

	if (counts_value_state(&events[event], &values[event]) != COUNT_GOOD ||
	    (ratio->over >= 0 &&
	     counts_value_state(&events[ratio->over], &values[ratio->over]) != COUNT_GOOD))
		return NAN;
	return below > 0 ? ratio->factor * counts_scaled(&values[event]) / below : NAN;
}
