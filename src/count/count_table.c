/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"

/* ---- ratios of one counted event to another, or to time ---- */

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

/* The ratio of events[@event]. False if it has none, as for events counted in different modes. */
static bool find_ratio(const struct count_event *events, size_t count, size_t event,
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

/* The ratio's value in a row; NAN if the divisor was not counted or is 0. */
static double ratio_value(const struct count_ratio *ratio, const struct count_event *events,
			  size_t event, const struct count_value *values, uint64_t wall_ns)
{
	double below = ratio->over < 0 ? (double)wall_ns : counts_scaled(&values[ratio->over]);

	if (counts_value_state(&events[event], &values[event]) != COUNT_GOOD ||
	    (ratio->over >= 0 &&
	     counts_value_state(&events[ratio->over], &values[ratio->over]) != COUNT_GOOD))
		return NAN;
	return below > 0 ? ratio->factor * counts_scaled(&values[event]) / below : NAN;
}

/* ---- the table ---- */

/* One line's rows, one from each run. */
struct gathered {
	struct mean counts[COUNTS_MAX_EVENTS];
	struct mean ratios[COUNTS_MAX_EVENTS];
	struct count_value sums[COUNTS_MAX_EVENTS];
	bool seen[COUNTS_MAX_EVENTS]; /* counted in some run */
	double executed;
};

static const struct count_row nothing;

static void gather(struct gathered *gathered, const struct count_table *table,
		   const struct count_row *row, uint64_t wall_ns)
{
	gathered->executed += (double)row->runs;
	for (size_t i = 0; i < table->event_count; i++) {
		double ratio;

		counts_add_value(&gathered->sums[i], &row->values[i]);
		if (counts_value_state(&table->events[i], &row->values[i]) != COUNT_GOOD)
			continue;
		gathered->seen[i] = true;
		estimate_add(&gathered->counts[i], counts_scaled(&row->values[i]));
		if (!table->has_ratio[i])
			continue;
		ratio = ratio_value(&table->ratios[i], table->events, i, row->values, wall_ns);
		if (!isnan(ratio))
			estimate_add(&gathered->ratios[i], ratio);
	}
}

static struct count_number number_of(const struct mean *mean)
{
	return (struct count_number){ mean->value, estimate_half(mean) };
}

static void fill(struct count_line *line, const struct count_table *table,
		 const struct gathered *gathered)
{
	line->runs = gathered->executed / (double)table->repeats;
	for (size_t i = 0; i < table->event_count; i++) {
		struct count_figure *figure = &line->figures[i];

		figure->state = table->events[i].state;
		if (figure->state == COUNT_GOOD && !gathered->seen[i])
			figure->state = COUNT_NOT_COUNTED;
		figure->percent_counted = counts_percent_counted(&gathered->sums[i]);
		figure->count = number_of(&gathered->counts[i]);
		figure->has_ratio = gathered->ratios[i].count > 0;
		figure->ratio = number_of(&gathered->ratios[i]);
	}
}

/* The row with the same key in another run; an empty row if there is none. */
static const struct count_row *row_of(const struct counts *counts, const struct count_key *key)
{
	for (size_t i = 0; i < counts->rows.count; i++) {
		if (counts_compare_keys(&counts->rows.items[i].key, key) == 0)
			return &counts->rows.items[i];
	}
	return &nothing;
}

static void add_line(struct count_table *table, const struct counts *runs, size_t count,
		     size_t first_run, const struct count_row *row)
{
	struct count_line *line = vec_push(&table->lines);
	struct gathered gathered = { 0 };

	*line = (struct count_line){ .key = row->key };
	for (size_t i = 0; i < count; i++)
		gather(&gathered, table, i == first_run ? row : row_of(&runs[i], &row->key),
		       runs[i].wall_ns);
	fill(line, table, &gathered);
}

static bool was_in_earlier(const struct counts *runs, size_t run, const struct count_key *key)
{
	for (size_t i = 0; i < run; i++) {
		if (row_of(&runs[i], key) != &nothing)
			return true;
	}
	return false;
}

static void add_lines(struct count_table *table, const struct counts *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < runs[i].rows.count; j++) {
			const struct count_row *row = &runs[i].rows.items[j];

			if (!was_in_earlier(runs, i, &row->key))
				add_line(table, runs, count, i, row);
		}
	}
}

static void add_total(struct count_table *table, const struct counts *runs, size_t count)
{
	struct gathered gathered = { 0 };
	struct mean wall = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct count_row total = counts_total(&runs[i]);

		gather(&gathered, table, &total, runs[i].wall_ns);
		estimate_add(&wall, (double)runs[i].wall_ns / (double)NS_PER_S);
	}
	table->total.key = (struct count_key){ .cpu = -1, .pid = -1, .tid = -1 };
	fill(&table->total, table, &gathered);
	table->wall_s = number_of(&wall);
}

struct count_table *count_table_new(const struct counts *runs, size_t count)
{
	struct count_table *table = xcalloc(1, sizeof(*table));

	table->repeats = count;
	table->event_count = runs[0].event_count;
	table->complete = true;
	table->ended_s = (double)runs[0].ended_ns / (double)NS_PER_S;
	memcpy(table->events, runs[0].events, sizeof(table->events));
	for (size_t i = 0; i < table->event_count; i++)
		table->has_ratio[i] =
			find_ratio(table->events, table->event_count, i, &table->ratios[i]);
	for (size_t i = 0; i < count; i++)
		table->complete &= runs[i].complete;
	add_lines(table, runs, count);
	add_total(table, runs, count);
	return table;
}

void count_table_free(struct count_table *table)
{
	if (!table)
		return;
	vec_free(&table->lines);
	free(table);
}
