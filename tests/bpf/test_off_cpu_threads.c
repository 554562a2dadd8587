/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the time of each thread went into, and the window in which it counts. */
#include "off_cpu_world.h"

static void add_times(struct off_cpu_times *sum, const struct off_cpu_times *times)
{
	sum->running_ns += times->running_ns;
	sum->runnable_ns += times->runnable_ns;
	sum->blocked_ns += times->blocked_ns;
	sum->io_ns += times->io_ns;
	sum->waits += times->waits;
}

static void assert_times(const struct off_cpu_times *reported,
			 const struct off_cpu_times *true_ones)
{
	assert_int_equal(reported->running_ns, true_ones->running_ns);
	assert_int_equal(reported->runnable_ns, true_ones->runnable_ns);
	assert_int_equal(reported->blocked_ns, true_ones->blocked_ns);
	assert_int_equal(reported->io_ns, true_ones->io_ns);
	assert_int_equal(reported->waits, true_ones->waits);
}

static uint32_t chance(uint32_t below)
{
	static uint32_t bits = 1;

	bits = bits * 1664525 + 1013904223;
	return (bits >> 16) % below;
}

static struct thread *find_runnable(void)
{
	size_t first = chance(THREADS);

	for (size_t i = 0; i < THREADS; i++) {
		struct thread *thread = &world.threads[(first + i) % THREADS];

		if (thread->state == OFF_CPU_RUNNABLE)
			return thread;
	}
	return NULL;
}

static void happen_on(uint32_t cpu, struct off_cpu_times *ended)
{
	static const uint32_t states[] = { TASK_RUNNING, STATE_SLEEPS, STATE_SLEEPS, TASK_DEAD };
	struct thread *here = world.on_cpu[cpu], *next = find_runnable();
	struct thread *any = &world.threads[chance(THREADS)];
	bool idle = here == &world.idle[cpu];

	if (!any->state && !idle) {
		fork_by(cpu, any);
	} else if (any->state == OFF_CPU_BLOCKED) {
		wake(cpu, any);
	} else if (!idle && chance(8) == 0) {
		exec(cpu);
		become(here, OFF_CPU_RUNNING);
		add_times(ended, &here->times);
		here->times = (struct off_cpu_times){ 0 };
	} else if (next || !idle) {
		uint32_t state = idle ? TASK_RUNNING : states[chance(chance(8) ? 3 : 4)];

		here->task.in_iowait = state == STATE_SLEEPS && chance(2);
		switch_to(cpu, next ? next : &world.idle[cpu], next || idle ? state : STATE_SLEEPS);
		if (state & TASK_DEAD && next) {
			add_times(ended, &here->times);
			here->times = (struct off_cpu_times){ 0 };
		}
	}
}

static struct off_cpu_times reported_at(uint32_t why, uint32_t tid)
{
	struct off_cpu_times sum = { 0 };

	for (size_t i = 0; find_record(OFF_CPU_TIMES, i); i++) {
		const struct off_cpu_times_record *record = find_record(OFF_CPU_TIMES, i);

		if ((why == OFF_CPU_CLOSE) == (record->why == OFF_CPU_CLOSE) &&
		    (!tid || record->tid == tid))
			add_times(&sum, &record->times);
	}
	return sum;
}

/* Threads that are born, wait, go from CPU to CPU, execute and end, by chance: what is reported for each
 * is what it did. */
static void test_times_add_up(void **state)
{
	struct off_cpu_times ended = { 0 }, reported;
	size_t alive = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		fork_by(i, &world.threads[i]);
		switch_to(i, &world.threads[i], TASK_RUNNING);
	}
	open_window();
	for (size_t i = 0; i < 20000; i++) {
		after(chance(1000));
		happen_on(chance(KERNEL_CPUS), &ended);
	}
	after(MS);
	close_window();
	reported = reported_at(OFF_CPU_EXIT, 0);
	assert_times(&reported, &ended);
	for (size_t i = 0; i < THREADS; i++) {
		reported = reported_at(OFF_CPU_CLOSE, world.threads[i].known.tid);
		assert_times(&reported, world.threads[i].state ? &world.threads[i].times
							       : &(struct off_cpu_times){ 0 });
		alive += world.threads[i].state != 0;
	}
	assert_true(alive > 2);
	assert_true(ended.waits > 1000 && ended.io_ns > 0 && ended.io_ns < ended.blocked_ns);
	for (uint32_t i = 0; i < KERNEL_CPUS; i++)
		assert_int_equal(counts_of(i).table_full, 0);
}

/* What happens before the window opens and after it closes has no time: of a thread that waits for
 * input, of one that was running or runnable, and of one that was born before all were looked at. */
static void test_only_the_window_is_counted(void **state)
{
	struct thread *waits = &world.threads[0], *either = &world.threads[4];
	struct thread *born = &world.threads[8];
	struct off_cpu_times reported;

	(void)state;
	waits->state = OFF_CPU_BLOCKED;
	waits->task.__state = STATE_SLEEPS;
	waits->task.in_iowait = 1;
	either->state = OFF_CPU_RUNNING;
	world.on_cpu[1] = either;
	fork_by(1, born);
	switch_to(2, born, TASK_RUNNING);
	after(MS);
	iterate(off_cpu_open);
	after(50 * MS);
	opened_ns = kernel.now_ns;
	after(WINDOW_NS);
	closed_ns = kernel.now_ns;
	after(20 * MS); /* what happens until the iterator comes to them */
	wake(1, waits);
	switch_to(1, waits, STATE_SLEEPS);
	kernel_records_clear();
	iterate(off_cpu_close);
	reported = reported_at(OFF_CPU_CLOSE, waits->known.tid);
	assert_int_equal(reported.blocked_ns, WINDOW_NS);
	assert_int_equal(reported.io_ns, WINDOW_NS);
	assert_int_equal(reported.running_ns + reported.runnable_ns, 0);
	reported = reported_at(OFF_CPU_CLOSE, either->known.tid);
	assert_int_equal(reported.running_ns + reported.runnable_ns, WINDOW_NS);
	assert_int_equal(reported.blocked_ns, 0);
	reported = reported_at(OFF_CPU_CLOSE, born->known.tid);
	assert_int_equal(reported.running_ns, WINDOW_NS);
	assert_int_equal(reported.runnable_ns + reported.blocked_ns, 0);
}

/* The kernel may correct its clock back a little at any time. */
static void test_times_add_up_where_the_clock_steps_back(void **state)
{
	struct off_cpu_times reported, executed;
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	for (int i = 0; i < 20; i++) {
		after(MS);
		switch_to(0, &world.idle[0], i % 2 ? STATE_SLEEPS : TASK_RUNNING);
		kernel.now_ns -= 30 * US;
		if (i % 2)
			wake(1, thread);
		kernel.now_ns -= 30 * US;
		switch_to(0, thread, STATE_SLEEPS);
		kernel.now_ns -= 30 * US;
		exec(0);
	}
	after(MS);
	close_window();
	reported = reported_at(OFF_CPU_CLOSE, thread->known.tid);
	executed = reported_at(OFF_CPU_EXEC, thread->known.tid);
	add_times(&reported, &executed);
	assert_int_equal(reported.running_ns + reported.runnable_ns + reported.blocked_ns,
			 closed_ns - opened_ns);
}

/* It becomes the first thread of its process, under that one's number. */
static void test_a_thread_that_executes_has_a_new_number(void **state)
{
	struct thread *thread, *waker;
	const struct off_cpu_times_record *record;

	(void)state;
	begin_pair(&thread, &waker);
	waker->task.pid = 101;
	exec(1);
	after(MS);
	switch_to(1, &world.idle[1], TASK_DEAD);
	record = find_record(OFF_CPU_TIMES, 0);
	assert_non_null(record);
	assert_int_equal(record->why, OFF_CPU_EXEC);
	assert_int_equal(record->tid, 104);
	record = find_record(OFF_CPU_TIMES, 1);
	assert_non_null(record);
	assert_int_equal(record->why, OFF_CPU_EXIT);
	assert_int_equal(record->tid, 101);
	assert_int_equal(record->times.running_ns, MS);
}

static void test_a_wait_that_the_window_cuts_off_is_open(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(6 * MS);
	close_window();
	assert_int_equal(count_records(OFF_CPU_WAIT), 1);
	assert_int_equal(wait_number(0)->tid, 100);
	assert_int_equal(wait_number(0)->flags, OFF_CPU_CAPTURED | OFF_CPU_OPEN);
	assert_int_equal(wait_number(0)->blocked_ns, 6 * MS);
	assert_int_equal(wait_number(0)->count, 3);
	assert_int_equal(count_records(OFF_CPU_TIMES), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_times_add_up),
		TEST(test_only_the_window_is_counted),
		TEST(test_times_add_up_where_the_clock_steps_back),
		TEST(test_a_thread_that_executes_has_a_new_number),
		TEST(test_a_wait_that_the_window_cuts_off_is_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
