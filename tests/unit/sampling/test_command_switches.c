/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/command_switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

enum { BEGIN_MS = 1000, FIRST = 100, SECOND, CHILD };

static int set_up(void **state)
{
	struct command_switches *switches = command_switches_new();

	command_switches_add(switches, FIRST, true);
	command_switches_open(switches, BEGIN_MS * NS_PER_MS);
	*state = switches;
	return 0;
}

static int tear_down(void **state)
{
	command_switches_free(*state);
	return 0;
}

/* @ms: after the window opened. */
static void take(struct command_switches *switches, uint64_t ms, struct perf_record record)
{
	record.time_ns = (BEGIN_MS + ms) * NS_PER_MS;
	command_switches_take(switches, &record);
}

static void leave(struct command_switches *switches, uint64_t ms, int32_t tid, bool preempted)
{
	take(switches, ms,
	     (struct perf_record){ .type = PERF_RECORD_SWITCH,
				   .tid = tid,
				   .switched = { .out = true, .preempted = preempted } });
}

static void arrive(struct command_switches *switches, uint64_t ms, int32_t tid)
{
	take(switches, ms, (struct perf_record){ .type = PERF_RECORD_SWITCH, .tid = tid });
}

static void start(struct command_switches *switches, uint64_t ms, int32_t parent, int32_t tid)
{
	take(switches, ms,
	     (struct perf_record){ .type = PERF_RECORD_FORK,
				   .pid = tid,
				   .tid = tid,
				   .task = { .parent_pid = parent, .parent_tid = parent } });
}

static void end(struct command_switches *switches, uint64_t ms, int32_t tid)
{
	take(switches, ms, (struct perf_record){ .type = PERF_RECORD_EXIT, .tid = tid });
}

static void assert_idle(struct command_switches *switches, uint64_t close_ms, uint64_t idle_ms)
{
	command_switches_close(switches, (BEGIN_MS + close_ms) * NS_PER_MS);
	assert_int_equal(command_switches_idle(switches), idle_ms * NS_PER_MS);
}

static void test_only_waits_count(void **state)
{
	leave(*state, 10, FIRST, false);
	arrive(*state, 30, FIRST);
	leave(*state, 40, FIRST, true);
	arrive(*state, 60, FIRST);
	assert_idle(*state, 100, 20);
}

/* What the launched process did before belongs to who launched it. */
static void test_may_begin_with_exec(void **state)
{
	struct command_switches *switches = command_switches_new();

	(void)state;
	command_switches_add(switches, FIRST, false);
	command_switches_open_at_exec(switches);
	arrive(switches, 5, FIRST);
	leave(switches, 6, FIRST, false);
	assert_int_equal(command_switches_opened(switches), 0);
	take(switches, 20,
	     (struct perf_record){ .type = PERF_RECORD_COMM, .tid = CHILD, .comm.exec = true });
	take(switches, 30, (struct perf_record){ .type = PERF_RECORD_COMM, .tid = FIRST });
	assert_int_equal(command_switches_opened(switches), 0);
	take(switches, 40,
	     (struct perf_record){ .type = PERF_RECORD_COMM, .tid = FIRST, .comm.exec = true });
	assert_int_equal(command_switches_opened(switches), (BEGIN_MS + 40) * NS_PER_MS);
	leave(switches, 50, FIRST, false);
	arrive(switches, 57, FIRST);
	take(switches, 60,
	     (struct perf_record){ .type = PERF_RECORD_COMM, .tid = FIRST, .comm.exec = true });
	assert_int_equal(command_switches_opened(switches), (BEGIN_MS + 40) * NS_PER_MS);
	assert_idle(switches, 100, 7);
	command_switches_free(switches);
}

static void test_none_of_them_may_be_active(void **state)
{
	start(*state, 5, FIRST, CHILD);
	leave(*state, 10, FIRST, false);
	leave(*state, 30, CHILD, false);
	arrive(*state, 70, CHILD);
	end(*state, 80, CHILD);
	leave(*state, 81, CHILD, false); /* for the last time */
	arrive(*state, 90, FIRST);
	assert_idle(*state, 100, 50);
}

static void test_others_do_not_count(void **state)
{
	leave(*state, 10, FIRST, false);
	start(*state, 20, SECOND, CHILD);
	arrive(*state, 30, CHILD);
	arrive(*state, 40, SECOND);
	assert_idle(*state, 100, 90);
}

static void test_a_wait_that_does_not_end(void **state)
{
	leave(*state, 60, FIRST, false);
	assert_idle(*state, 100, 40);
}

static void test_nobody_waits_after_the_last_one_has_ended(void **state)
{
	end(*state, 60, FIRST);
	assert_idle(*state, 100, 0);
}

/* The first thread ends before the second one. */
static void test_a_thread_that_outlives_the_first(void **state)
{
	start(*state, 5, FIRST, SECOND);
	end(*state, 10, FIRST);
	leave(*state, 20, SECOND, false);
	arrive(*state, 50, SECOND);
	end(*state, 60, SECOND);
	assert_idle(*state, 100, 30);
}

/* The second thread calls exec, and goes on under the number of the first. */
static void test_exec_of_another_thread(void **state)
{
	start(*state, 5, FIRST, SECOND);
	end(*state, 10, FIRST);
	take(*state, 11,
	     (struct perf_record){
		     .type = PERF_RECORD_COMM, .tid = FIRST, .comm = { .exec = true } });
	leave(*state, 20, FIRST, false);
	end(*state, 20, SECOND);
	arrive(*state, 50, FIRST);
	assert_idle(*state, 100, 30);
}

static void test_a_number_is_used_again(void **state)
{
	start(*state, 5, FIRST, CHILD);
	end(*state, 10, CHILD);
	start(*state, 20, FIRST, CHILD);
	leave(*state, 30, FIRST, false);
	leave(*state, 40, CHILD, false);
	assert_idle(*state, 100, 60);
}

static void test_only_the_window_counts(void **state)
{
	struct command_switches *switches = *state;
	struct perf_record before = { .type = PERF_RECORD_SWITCH,
				      .tid = FIRST,
				      .time_ns = (BEGIN_MS - 1) * NS_PER_MS,
				      .switched = { .out = true } };

	command_switches_take(switches, &before);
	assert_idle(switches, 100, 0);
	leave(switches, 120, FIRST, false);
	assert_int_equal(command_switches_idle(switches), 0);
}

static void test_a_thread_that_waits_from_the_start(void **state)
{
	struct command_switches *switches = command_switches_new();

	command_switches_add(switches, FIRST, false);
	command_switches_open(switches, BEGIN_MS * NS_PER_MS);
	arrive(switches, 25, FIRST);
	assert_idle(switches, 100, 25);
	command_switches_free(switches);
}

static void test_too_many(void **state)
{
	const uint64_t begin_ns = BEGIN_MS * NS_PER_MS;

	for (int i = 0; i < 30000; i++)
		arrive(*state, 1, FIRST);
	assert_true(command_switches_too_many(*state, begin_ns + 100 * NS_PER_MS));
	assert_false(command_switches_too_many(*state, begin_ns + NS_PER_S));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_only_waits_count),
		cmocka_unit_test(test_may_begin_with_exec),
		TEST(test_none_of_them_may_be_active),
		TEST(test_others_do_not_count),
		TEST(test_a_wait_that_does_not_end),
		TEST(test_nobody_waits_after_the_last_one_has_ended),
		TEST(test_a_thread_that_outlives_the_first),
		TEST(test_exec_of_another_thread),
		TEST(test_a_number_is_used_again),
		TEST(test_only_the_window_counts),
		TEST(test_a_thread_that_waits_from_the_start),
		TEST(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
