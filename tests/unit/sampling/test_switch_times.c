/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/switch_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MS = 1000000, MAX_EVENTS = 32, PID = 100, TID = 101 };

struct told {
	struct switch_times *times;
	union off_cpu_event events[MAX_EVENTS];
	size_t count;
};

static void keep(void *context, const union off_cpu_event *event)
{
	struct told *told = context;

	assert_true(told->count < MAX_EVENTS);
	told->events[told->count++] = *event;
}

static void take(struct told *told, struct perf_record record)
{
	switch_times_take(told->times, &record, keep, told);
}

static void change(struct told *told, uint64_t ms, int32_t tid, bool out, bool preempted)
{
	take(told, (struct perf_record){ .type = PERF_RECORD_SWITCH_CPU_WIDE,
					 .time_ns = ms * MS,
					 .pid = PID,
					 .tid = tid,
					 .switched = { out, preempted } });
}

static int set_up(void **state)
{
	struct told *told = test_calloc(1, sizeof(*told));

	told->times = switch_times_new(7);
	*state = told;
	return 0;
}

static int tear_down(void **state)
{
	struct told *told = *state;

	switch_times_free(told->times);
	test_free(told);
	return 0;
}

static void assert_times(const union off_cpu_event *event, uint32_t tid, uint64_t running,
			 uint64_t runnable, uint64_t blocked)
{
	assert_int_equal(event->kind, OFF_CPU_TIMES);
	assert_int_equal(event->times.tid, tid);
	assert_int_equal(event->times.pid, PID);
	assert_int_equal(event->times.times.running_ns, running * MS);
	assert_int_equal(event->times.times.runnable_ns, runnable * MS);
	assert_int_equal(event->times.times.blocked_ns, blocked * MS);
}

static void assert_wait(const union off_cpu_event *event, uint64_t left, uint64_t runnable,
			uint64_t blocked)
{
	assert_int_equal(event->kind, OFF_CPU_WAIT);
	assert_int_equal(event->wait.tid, TID);
	assert_int_equal(event->wait.left_ns, left * MS);
	assert_int_equal(event->wait.runnable_ns, runnable * MS);
	assert_int_equal(event->wait.blocked_ns, blocked * MS);
	assert_true(event->wait.flags & OFF_CPU_NO_STACK);
}

/* Born, waits for a processor, runs, is preempted, runs, waits, and exits. */
static void a_life(void **state)
{
	struct told *told = *state;

	take(told, (struct perf_record){
			   .type = PERF_RECORD_FORK, .time_ns = 100 * MS, .pid = PID, .tid = TID });
	change(told, 103, TID, false, false);
	change(told, 110, TID, true, true);
	change(told, 115, TID, false, false);
	change(told, 120, TID, true, false);
	change(told, 180, TID, false, false);
	take(told, (struct perf_record){
			   .type = PERF_RECORD_EXIT, .time_ns = 190 * MS, .pid = PID, .tid = TID });
	change(told, 191, TID, true, false); /* its last instructions */
	switch_times_close(told->times, 300 * MS, keep, told);
	assert_int_equal(told->count, 4);
	assert_wait(&told->events[0], 100, 3, 0);
	assert_wait(&told->events[1], 110, 5, 0);
	assert_wait(&told->events[2], 120, 0, 60);
	assert_times(&told->events[3], TID, 7 + 5 + 10, 3 + 5, 60);
}

static void exec_parts_the_times(void **state)
{
	struct told *told = *state;

	change(told, 100, TID, true, false);
	change(told, 150, TID, false, false);
	take(told, (struct perf_record){ .type = PERF_RECORD_COMM,
					 .time_ns = 160 * MS,
					 .pid = PID,
					 .tid = TID,
					 .comm = { "name", false } });
	take(told, (struct perf_record){ .type = PERF_RECORD_COMM,
					 .time_ns = 170 * MS,
					 .pid = PID,
					 .tid = TID,
					 .comm = { "new", true } });
	switch_times_close(told->times, 200 * MS, keep, told);
	assert_int_equal(told->count, 3);
	assert_times(&told->events[1], TID, 20, 0, 50);
	assert_times(&told->events[2], TID, 30, 0, 0);
}

static void what_is_open_is_closed(void **state)
{
	struct told *told = *state;

	change(told, 100, TID, true, false);
	change(told, 100, TID + 1, false, false);
	switch_times_close(told->times, 250 * MS, keep, told);
	assert_int_equal(told->count, 3);
	assert_wait(&told->events[0], 100, 0, 150);
	assert_true(told->events[0].wait.flags & OFF_CPU_OPEN);
	assert_times(&told->events[1], TID, 0, 0, 150);
	assert_times(&told->events[2], TID + 1, 150, 0, 0);
	told->count = 0;
	switch_times_close(told->times, 260 * MS, keep, told);
	assert_int_equal(told->count, 0);
}

/* A thread id that is used again, and records of no known thread. */
static void threads_are_told_apart(void **state)
{
	struct told *told = *state;
	struct perf_record exit = { .type = PERF_RECORD_EXIT, .pid = PID, .tid = TID };

	change(told, 100, 0, true, false);
	change(told, 100, -1, false, false);
	exit.time_ns = 100 * MS;
	take(told, exit); /* never seen */
	change(told, 110, TID, true, false);
	exit.time_ns = 120 * MS;
	take(told, exit);
	take(told, (struct perf_record){
			   .type = PERF_RECORD_FORK, .time_ns = 150 * MS, .pid = PID, .tid = TID });
	switch_times_close(told->times, 160 * MS, keep, told);
	assert_int_equal(told->count, 3);
	assert_times(&told->events[0], TID, 0, 0, 10);
	assert_wait(&told->events[1], 150, 10, 0);
	assert_times(&told->events[2], TID, 0, 10, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_life),
		TEST(exec_parts_the_times),
		TEST(what_is_open_is_closed),
		TEST(threads_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
