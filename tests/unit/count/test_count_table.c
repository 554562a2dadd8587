/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "count/count_table.h"

enum { MS = 1000000, RUNS = 3 };

static void assert_near(double got, double wanted)
{
	if (fabs(got - wanted) > 1e-6 * fabs(wanted))
		fail_msg("%.9g instead of %.9g", got, wanted);
}

static void name(struct count_event *event, const char *plain, bool counts_ns)
{
	*event = (struct count_event){ .user = true, .kernel = true, .counts_ns = counts_ns };
	snprintf(event->name, sizeof(event->name), "%s", plain);
	snprintf(event->plain, sizeof(event->plain), "%s", plain);
}

/* Cycles, instructions, task-clock and page-faults of a row. */
static void set(struct count_row *row, uint64_t cycles, uint64_t instructions, uint64_t ns,
		uint64_t faults)
{
	const uint64_t counts[] = { cycles, instructions, ns, faults };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		row->values[i] = (struct count_value){ counts[i], 10 * MS, 10 * MS };
}

static struct counts four_events(void)
{
	struct counts counts = { .event_count = 4, .wall_ns = 20 * MS, .complete = true };

	name(&counts.events[0], "cycles", false);
	name(&counts.events[1], "instructions", false);
	name(&counts.events[2], "task-clock", true);
	name(&counts.events[3], "page-faults", false);
	return counts;
}

static void ratios(void **state)
{
	_cleanup_(count_table_freep) struct count_table *table = NULL;
	struct counts counts = four_events();

	set(counts_add_row(&counts), 30 * MS, 45 * MS, 10 * MS, 50);
	table = count_table_new(&counts, 1);
	assert_near(table->total.figures[0].ratio.value, 3.0);	/* GHz */
	assert_near(table->total.figures[1].ratio.value, 1.5);	/* per cycle */
	assert_near(table->total.figures[2].ratio.value, 0.5);	/* CPUs used */
	assert_near(table->total.figures[3].ratio.value, 5000); /* per CPU second */
	assert_string_equal(table->ratios[1].unit, "per cycle");
	assert_near(table->wall_s.value, 0.02);
	counts_done(&counts);
}

/* A ratio of what is counted in user mode alone to what is counted everywhere would be none. */
static void ratios_of_like_events_only(void **state)
{
	_cleanup_(count_table_freep) struct count_table *table = NULL;
	struct counts counts = four_events();

	counts.events[0].kernel = false;
	set(counts_add_row(&counts), 30 * MS, 45 * MS, 10 * MS, 50);
	table = count_table_new(&counts, 1);
	assert_string_equal(table->ratios[1].unit, "per CPU second");
	counts_done(&counts);
}

static void nothing_for_what_was_not_counted(void **state)
{
	_cleanup_(count_table_freep) struct count_table *table = NULL;
	struct counts counts = four_events();
	struct count_row *row = counts_add_row(&counts);

	counts.events[0].state = COUNT_NOT_SUPPORTED;
	set(row, 0, 45 * MS, 10 * MS, 50);
	row->values[3].running_ns = 0;
	table = count_table_new(&counts, 1);
	assert_int_equal(table->total.figures[0].state, COUNT_NOT_SUPPORTED);
	assert_int_equal(table->total.figures[3].state, COUNT_NOT_COUNTED);
	assert_false(table->total.figures[3].has_ratio);
	assert_string_equal(table->ratios[1].unit, "per CPU second");
	counts_done(&counts);
}

/* The mean of 10, 12 and 17 is 13; its standard error sqrt(13 / 3); t of 2 degrees 4.30265. */
static void means_of_runs(void **state)
{
	static const uint64_t faults[RUNS] = { 10, 12, 17 };
	_cleanup_(count_table_freep) struct count_table *table = NULL;
	struct counts runs[RUNS];

	for (size_t i = 0; i < RUNS; i++) {
		runs[i] = four_events();
		set(counts_add_row(&runs[i]), 1, 1, 1, faults[i]);
	}
	table = count_table_new(runs, RUNS);
	assert_near(table->total.figures[3].count.value, 13);
	assert_near(table->total.figures[3].count.half, 4.302652729696 * sqrt(13.0 / 3));
	assert_near(table->wall_s.half + 1, 1);
	for (size_t i = 0; i < RUNS; i++)
		counts_done(&runs[i]);
}

/* A program that only one of two runs executed was nothing in the other. */
static void programs_of_some_runs(void **state)
{
	_cleanup_(count_table_freep) struct count_table *table = NULL;
	struct counts runs[2] = { four_events(), four_events() };
	struct count_row *row = counts_add_row(&runs[0]);

	strcpy(row->key.program, "/bin/a"); // NOLINT: it fits
	set(row, 1, 1, 1, 8);
	row = counts_add_row(&runs[1]);
	strcpy(row->key.program, "/bin/b"); // NOLINT: it fits
	row->runs = 1;
	set(row, 1, 1, 1, 6);
	table = count_table_new(runs, 2);
	assert_int_equal(table->lines.count, 2);
	assert_near(table->lines.items[0].figures[3].count.value, 4);
	assert_near(table->lines.items[1].figures[3].count.value, 3);
	assert_near(table->lines.items[1].runs, 0.5);
	assert_near(table->total.figures[3].count.value, 7);
	counts_done(&runs[0]);
	counts_done(&runs[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios),
		cmocka_unit_test(ratios_of_like_events_only),
		cmocka_unit_test(nothing_for_what_was_not_counted),
		cmocka_unit_test(means_of_runs),
		cmocka_unit_test(programs_of_some_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
