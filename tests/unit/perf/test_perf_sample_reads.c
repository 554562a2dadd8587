/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_sample.h"

static uint64_t since(struct perf_reads *reads, uint64_t id, int32_t tid, uint64_t value)
{
	uint64_t count = UINT64_MAX;

	assert_true(perf_reads_since(reads, id, tid, value, &count));
	return count;
}

static void a_counter_weighs_what_it_counted_since(void **state)
{
	struct perf_reads reads = { .list = { 0 } };

	assert_int_equal(since(&reads, 7, 0, 100), 100);
	assert_int_equal(since(&reads, 7, 0, 130), 30);
	assert_int_equal(since(&reads, 7, 0, 130), 0);
	assert_int_equal(since(&reads, 7, 0, 40), 40); /* it began anew */
	perf_reads_done(&reads);
}

static void counters_and_threads_are_told_apart(void **state)
{
	struct perf_reads reads = { .list = { 0 } };

	assert_int_equal(since(&reads, 7, 10, 100), 100);
	assert_int_equal(since(&reads, 7, 11, 500), 500);
	assert_int_equal(since(&reads, 8, 10, 900), 900);
	assert_int_equal(since(&reads, 7, 10, 101), 1);
	assert_int_equal(since(&reads, 7, 11, 502), 2);
	assert_int_equal(since(&reads, 8, 10, 903), 3);
	perf_reads_done(&reads);
}

static void members_without_ids_are_none(void **state)
{
	const uint64_t words[] = { 5, 6 };
	const struct perf_read read = { .words = words, .count = 2, .step = 1 };
	uint64_t id, value;

	assert_false(perf_reads_member(&read, 0, &id, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_weighs_what_it_counted_since),
		cmocka_unit_test(counters_and_threads_are_told_apart),
		cmocka_unit_test(members_without_ids_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
