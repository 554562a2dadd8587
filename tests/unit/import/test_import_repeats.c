/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import/import_repeats.h"

enum { FIRST, SECOND, THIRD };

static int begin(void **state)
{
	*state = import_repeats_new();
	return 0;
}

static int end(void **state)
{
	import_repeats_free(*state);
	return 0;
}

static bool repeats(void *state, struct perf_record record, size_t event)
{
	record.pid = record.pid ? record.pid : 10;
	record.tid = record.tid ? record.tid : record.pid;
	record.time_ns = 100;
	return import_repeats_is(state, &record, event);
}

static struct perf_record forked(int32_t parent)
{
	return (struct perf_record){ .type = PERF_RECORD_FORK, .task = { parent, parent } };
}

static struct perf_record left(void)
{
	return (struct perf_record){ .type = PERF_RECORD_EXIT, .task = { 5, 5 } };
}

static struct perf_record named(const char *comm)
{
	return (struct perf_record){ .type = PERF_RECORD_COMM, .comm = { comm, true } };
}

static const struct perf_record mapped = { .type = PERF_RECORD_MMAP2 };
static const struct perf_record sampled = { .type = PERF_RECORD_SAMPLE };

static void each_event_tells_a_life_and_one_counts(void **state)
{
	assert_false(repeats(*state, forked(5), FIRST));
	assert_true(repeats(*state, forked(5), SECOND));
	assert_false(repeats(*state, sampled, SECOND));
	assert_true(repeats(*state, forked(5), THIRD));
	assert_false(repeats(*state, named("cat"), FIRST));
	assert_true(repeats(*state, named("cat"), SECOND));
	assert_false(repeats(*state, mapped, FIRST));
	assert_false(repeats(*state, mapped, SECOND));
	assert_false(repeats(*state, left(), FIRST));
	assert_true(repeats(*state, left(), SECOND));
}

/* A number that is used again is another process, even if its end was lost. */
static void what_the_same_event_tells_again_happened_again(void **state)
{
	assert_false(repeats(*state, forked(5), FIRST));
	assert_true(repeats(*state, forked(5), SECOND));
	assert_false(repeats(*state, forked(5), FIRST));
	assert_true(repeats(*state, forked(5), SECOND));
	assert_false(repeats(*state, named("sh"), FIRST));
	assert_false(repeats(*state, mapped, FIRST));
	assert_false(repeats(*state, named("sh"), SECOND));
}

/* Events of some CPUs each: all that they tell is true. */
static void what_differs_is_no_repetition(void **state)
{
	assert_false(repeats(*state, forked(5), FIRST));
	assert_false(repeats(*state, left(), SECOND));
	assert_false(repeats(*state, forked(5), SECOND));
	assert_false(repeats(*state, forked(6), FIRST));
	assert_false(repeats(*state, named("cat"), FIRST));
	assert_false(repeats(*state, named("dog"), SECOND));
}

/* perf makes records of what was there before, at no time. */
static void announcements_are_no_repetition(void **state)
{
	struct perf_record announced = forked(5);

	announced.pid = announced.tid = 10;
	assert_false(import_repeats_is(*state, &announced, FIRST));
	assert_false(repeats(*state, forked(5), SECOND));
	assert_true(repeats(*state, forked(5), FIRST));
}

static void threads_are_told_apart(void **state)
{
	struct perf_record thread = forked(10), other = forked(10);

	thread.tid = 11;
	other.tid = 12;
	assert_false(repeats(*state, thread, FIRST));
	assert_false(repeats(*state, other, SECOND));
	assert_true(repeats(*state, thread, SECOND));
	assert_true(repeats(*state, other, FIRST));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_event_tells_a_life_and_one_counts, begin, end),
		cmocka_unit_test_setup_teardown(what_the_same_event_tells_again_happened_again,
						begin, end),
		cmocka_unit_test_setup_teardown(what_differs_is_no_repetition, begin, end),
		cmocka_unit_test_setup_teardown(announcements_are_no_repetition, begin, end),
		cmocka_unit_test_setup_teardown(threads_are_told_apart, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
