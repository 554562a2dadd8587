/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/counts.h"

static struct counts three_events(void)
{
	return (struct counts){ .event_count = 3 };
}

static struct count_row *add(struct counts *counts, const char *program, uint64_t order,
			     uint64_t count)
{
	struct count_row *row = counts_add_row(counts);

	snprintf(row->key.program, sizeof(row->key.program), "%s", program);
	row->order = order;
	row->values[1] = (struct count_value){ count, 100, 100 };
	return row;
}

static void scaled_to_the_time_that_was_wanted(void **state)
{
	const struct count_value half = { 1000, 200, 100 }, whole = { 1000, 200, 200 };
	const struct count_value never = { 0, 200, 0 }, nothing = { 0, 0, 0 };

	assert_true(counts_scaled(&half) == 2000);
	assert_true(counts_percent_counted(&half) == 50);
	assert_true(counts_scaled(&whole) == 1000);
	assert_true(counts_percent_counted(&whole) == 100);
	assert_true(counts_percent_counted(&never) == 0);
	assert_true(counts_percent_counted(&nothing) == 100);
}

/* Nothing that was counted is 0; what was not is no number. */
static void states(void **state)
{
	const struct count_value never = { 0, 200, 0 }, nothing = { 0, 0, 0 };
	const struct count_event good = { .state = COUNT_GOOD };
	const struct count_event bad = { .state = COUNT_NOT_SUPPORTED };

	assert_int_equal(counts_value_state(&good, &nothing), COUNT_GOOD);
	assert_int_equal(counts_value_state(&good, &never), COUNT_NOT_COUNTED);
	assert_int_equal(counts_value_state(&bad, &nothing), COUNT_NOT_SUPPORTED);
	assert_string_equal(counts_state_word(COUNT_NOT_PERMITTED), "not permitted");
}

static void the_total_of_rows(void **state)
{
	struct counts counts = three_events();
	struct count_row total;

	add(&counts, "a", 1, 5)->runs = 2;
	add(&counts, "b", 2, 7)->runs = 1;
	total = counts_total(&counts);
	assert_int_equal(total.values[1].count, 12);
	assert_int_equal(total.values[1].enabled_ns, 200);
	assert_int_equal(total.runs, 3);
	assert_int_equal(total.key.cpu, -1);
	counts_done(&counts);
}

/* An interval is what is there now without what was there before. */
static void what_came_since(void **state)
{
	struct counts before = three_events(), now = three_events();

	add(&before, "b", 1, 7);
	add(&before, "idle", 2, 4);
	add(&now, "new", 4, 9);
	add(&now, "idle", 2, 4);
	add(&now, "b", 3, 10);
	counts_subtract(&now, &before);
	assert_int_equal(now.rows.count, 2);
	assert_string_equal(now.rows.items[0].key.program, "b");
	assert_int_equal(now.rows.items[0].values[1].count, 3);
	assert_string_equal(now.rows.items[1].key.program, "new");
	assert_int_equal(now.rows.items[1].values[1].count, 9);
	assert_int_equal(before.rows.items[0].values[1].count, 7);
	counts_done(&before);
	counts_done(&now);
}

/* What sleeps through an interval was counted in it all the same: nothing happened. */
static void the_whole_and_cpus_stay(void **state)
{
	struct counts before = three_events(), now = three_events();

	add(&before, "", 1, 7);
	add(&before, "", 2, 4)->key.cpu = 0;
	add(&now, "", 1, 7);
	add(&now, "", 2, 4)->key.cpu = 0;
	counts_subtract(&now, &before);
	assert_int_equal(now.rows.count, 2);
	assert_int_equal(now.rows.items[0].values[1].count, 0);
	assert_int_equal(now.rows.items[0].values[1].enabled_ns, 0);
	assert_int_equal(now.rows.items[1].key.cpu, 0);
	counts_done(&before);
	counts_done(&now);
}

/* Of the first event that could be counted, what it would have been in all the time. */
static void the_most_first(void **state)
{
	static const char *const expected[] = { "scaled", "some", "a", "b", "few" };
	struct counts counts = three_events();

	counts.events[0].state = COUNT_NOT_SUPPORTED;
	add(&counts, "b", 1, 7);
	add(&counts, "few", 2, 6)->values[0].count = 1000;
	add(&counts, "some", 3, 12)->values[2].count = 1;
	add(&counts, "scaled", 4, 7)->values[1].running_ns = 50;
	add(&counts, "a", 5, 7)->values[2].count = 1000;
	counts_sort_by_count(&counts);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(counts.rows.items[i].key.program, expected[i]);
	counts_done(&counts);
}

static void keys(void **state)
{
	struct count_key a = { .program = "a", .cpu = 1, .pid = -1, .tid = -1 }, b = a;

	assert_int_equal(counts_compare_keys(&a, &b), 0);
	b.tid = 4;
	assert_true(counts_compare_keys(&a, &b) < 0);
	b = a;
	strcpy(b.program, "A"); // NOLINT: it fits
	assert_true(counts_compare_keys(&a, &b) > 0);
	b = a;
	strcpy(b.comm, "name"); // NOLINT: it fits
	assert_int_equal(counts_compare_keys(&a, &b), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaled_to_the_time_that_was_wanted),
		cmocka_unit_test(states),
		cmocka_unit_test(the_total_of_rows),
		cmocka_unit_test(what_came_since),
		cmocka_unit_test(the_whole_and_cpus_stay),
		cmocka_unit_test(the_most_first),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
