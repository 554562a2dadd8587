/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's account of threads that know themselves what they did. The kernel's clocks are
 * the oracle: a thread's running time is its CLOCK_THREAD_CPUTIME_ID, its waits lie within what it
 * measured around them, and all its times together are the window.
 */
#include "sampling/off_cpu.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "perf/cpu_list.h"
#include "perf/perf_record.h"
#include "perf/ring.h"
#include "thread_state.h"
#include "sampling/off_cpu_watch.h"

/* What a thread did, and saw of itself. */
struct self {
	_Atomic pid_t tid;	   /* 0 until it runs */
	uint64_t begin_ns, end_ns; /* around its sleep */
	pthread_mutex_t *mutex;
	int fd;
};

/* Several sleeps: a host that takes the processor from a thread on its way to sleep may take most of
 * one. */
static void sleep_in_parts(void)
{
	for (int i = 0; i < PARTS; i++)
		thread_sleep_undisturbed(SLEEP_MS, PATIENCE_NS);
}

/* Uses the processor, and again (for PATIENCE_NS at most) if the thread was preempted meanwhile: the
 * kernel counts a thread's processor time from a little before the switch that the programs see.
 * Returns the processor time. */
static uint64_t spin_undisturbed(void)
{
	const uint64_t until_ns = clock_ns() + PATIENCE_NS;
	struct rusage before, after;
	uint64_t cpu_ns;

	do {
		getrusage(RUSAGE_THREAD, &before);
		cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
		for (uint64_t end_ns = clock_ns() + 20 * NS_PER_MS; clock_ns() < end_ns;)
			;
		cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
		getrusage(RUSAGE_THREAD, &after);
	} while (before.ru_nivcsw != after.ru_nivcsw && clock_ns() < until_ns);
	return cpu_ns;
}

static void *sleep_once(void *argument)
{
	struct self *self = argument;

	self->tid = (pid_t)syscall(SYS_gettid);
	self->begin_ns = clock_ns();
	sleep_in_parts();
	self->end_ns = clock_ns();
	return NULL;
}

static void a_thread_that_lives_all_the_time_has_all_of_it(void **state)
{
	struct watch *watch = *state;
	struct off_cpu_times times;
	uint64_t cpu_ns;

	watch_begin(watch);
	sleep_in_parts();
	cpu_ns = spin_undisturbed();
	watch_end(watch);
	times = times_of(watch, getpid(), OFF_CPU_CLOSE);
	assert_int_equal(sum_of(&times), watch->closed_ns - watch->opened_ns);
	assert_true(times.running_ns >= cpu_ns);
	assert_true(times.blocked_ns >= PARTS * LEAST_BLOCKED_NS);
}

static void every_thread_there_all_the_time_adds_up(void **state)
{
	struct watch *watch = *state;
	size_t whole = 0, others = 0;

	thread_list(&watch->there);
	watch_begin(watch);
	sleep_ms(SLEEP_MS);
	watch_end(watch);
	for (size_t i = 0; i < watch->events.count; i++) {
		const struct off_cpu_times_record *record = &watch->events.items[i].times;

		if (record->kind != OFF_CPU_TIMES || record->why != OFF_CPU_CLOSE ||
		    !thread_is_listed(&watch->there, (pid_t)record->tid))
			continue;
		if (sum_of(&record->times) == watch->closed_ns - watch->opened_ns)
			whole++;
		else
			others++; /* another program since: exec parts its times */
	}
	assert_true(whole > 10 && whole > 9 * others);
}

static void a_sleep_is_found_with_its_stack(void **state)
{
	struct watch *watch = *state;
	const struct off_cpu_wait_record *wait;
	struct off_cpu_times times;
	struct self self = { 0 };
	pthread_t thread;

	watch_begin(watch);
	assert_int_equal(pthread_create(&thread, NULL, sleep_once, &self), 0);
	pthread_join(thread, NULL);
	watch_until_exit(watch, self.tid);
	watch_end(watch);
	times = times_of(watch, self.tid, OFF_CPU_EXIT);
	assert_true(times.blocked_ns >= PARTS * LEAST_BLOCKED_NS);
	wait = longest_wait(watch, self.tid, self.begin_ns, self.end_ns);
	assert_true(wait->blocked_ns + wait->runnable_ns <= self.end_ns - self.begin_ns);
	assert_int_equal(wait->pid, getpid());
	assert_true(wait->count > 3);
	assert_true((int64_t)wait->addresses[0] < 0); /* the kernel's half */
	assert_true(wait->user_ip != 0 && (int64_t)wait->user_ip > 0);
	assert_true(wait->flags & OFF_CPU_CAPTURED);
	assert_true(was_told(watch, wait, OFF_CPU_LEFT));
}

static void *lock_once(void *argument)
{
	struct self *self = argument;

	self->tid = (pid_t)syscall(SYS_gettid);
	self->begin_ns = clock_ns();
	pthread_mutex_lock(self->mutex);
	self->end_ns = clock_ns();
	pthread_mutex_unlock(self->mutex);
	return NULL;
}

static void a_lock_names_who_released_it(void **state)
{
	struct watch *watch = *state;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct self self = { .mutex = &mutex };
	const struct off_cpu_wait_record *wait;
	pthread_t thread;

	watch_begin(watch);
	pthread_mutex_lock(&mutex);
	assert_int_equal(pthread_create(&thread, NULL, lock_once, &self), 0);
	assert_true(thread_await_sleep(getpid(), &self.tid, PATIENCE_NS));
	sleep_ms(SLEEP_MS);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	watch_end(watch);
	wait = longest_wait(watch, self.tid, self.begin_ns, self.end_ns);
	assert_true(wait->blocked_ns + wait->runnable_ns <= self.end_ns - self.begin_ns);
	assert_int_equal(wait->waker_pid, getpid());
	assert_int_equal(wait->waker_tid, getpid());
	assert_true(was_told(watch, wait, OFF_CPU_WOKE));
}

/* A child that waits when the window opens and still waits when it closes. */
static void what_waits_all_the_time_is_closed_by_the_window(void **state)
{
	struct watch *watch = *state;
	const struct off_cpu_wait_record *wait;
	_Atomic pid_t child;
	int pipe_ends[2];
	char byte;

	assert_int_equal(pipe(pipe_ends), 0);
	child = fork();
	if (child == 0) {
		close(pipe_ends[1]);
		_exit(read(pipe_ends[0], &byte, 1) == 0 ? 0 : 1);
	}
	assert_true(thread_await_sleep(child, &child, PATIENCE_NS));
	watch_begin(watch);
	sleep_ms(SLEEP_MS);
	watch_end(watch);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	waitpid(child, NULL, 0);
	wait = longest_wait(watch, child, 0, UINT64_MAX);
	assert_true(wait->flags & OFF_CPU_OPEN);
	assert_false(wait->flags & OFF_CPU_CAPTURED);
	assert_int_equal(wait->blocked_ns, watch->closed_ns - watch->opened_ns);
	assert_true(wait->count > 3);
}

static void *read_once(void *argument)
{
	struct self *self = argument;
	char byte;

	self->tid = (pid_t)syscall(SYS_gettid);
	if (read(self->fd, &byte, 1) != 1)
		self->fd = -1;
	self->end_ns = clock_ns();
	return NULL;
}

/* A thread that waits as the window opens, and is woken in it. */
static void times_outside_the_window_do_not_count(void **state)
{
	struct watch *watch = *state;
	const struct off_cpu_wait_record *wait;
	struct self self = { 0 };
	uint64_t woken_ns;
	pthread_t thread;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	self.fd = ends[0];
	assert_int_equal(pthread_create(&thread, NULL, read_once, &self), 0);
	assert_true(thread_await_sleep(getpid(), &self.tid, PATIENCE_NS));
	watch_begin(watch);
	sleep_ms(SLEEP_MS);
	woken_ns = clock_ns();
	assert_int_equal(write(ends[1], "x", 1), 1);
	pthread_join(thread, NULL);
	watch_end(watch);
	close(ends[0]);
	close(ends[1]);
	wait = longest_wait(watch, self.tid, 0, woken_ns);
	assert_true(wait->blocked_ns + wait->runnable_ns <= self.end_ns - watch->opened_ns);
	assert_true(wait->blocked_ns >= LEAST_BLOCKED_NS);
}

static void exec_parts_the_times_of_a_thread(void **state)
{
	struct watch *watch = *state;
	struct off_cpu_times before, after;
	uint64_t took_ns;
	pid_t child;

	watch_begin(watch);
	took_ns = clock_ns();
	child = fork();
	if (child == 0) {
		sleep_in_parts();
		execl("/bin/sleep", "sleep", "0.2", (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	watch_until_exit(watch, child);
	took_ns = clock_ns() - took_ns;
	watch_end(watch);
	before = times_of(watch, child, OFF_CPU_EXEC);
	after = times_of(watch, child, OFF_CPU_EXIT);
	assert_true(before.blocked_ns >= PARTS * LEAST_BLOCKED_NS);
	/* It may be preempted on its way to sleep. */
	assert_true(after.blocked_ns + after.runnable_ns >= 199 * NS_PER_MS);
	/* Nothing of it is in both. */
	assert_true(sum_of(&before) + sum_of(&after) <= took_ns);
}

static void damaged_records_are_refused(void **state)
{
	struct off_cpu_wait_record wait = { .kind = OFF_CPU_WAIT, .count = 2 };
	struct off_cpu_times_record times = { .kind = OFF_CPU_TIMES };
	const size_t head = offsetof(struct off_cpu_wait_record, addresses);
	union off_cpu_event event;

	assert_true(off_cpu_event_read(&wait, head + 16, &event));
	assert_false(off_cpu_event_read(&wait, head + 15, &event));
	assert_false(off_cpu_event_read(&wait, head - 1, &event));
	wait.count = OFF_CPU_MAX_KERNEL;
	assert_true(off_cpu_event_read(&wait, sizeof(wait), &event));
	wait.count++;
	assert_false(off_cpu_event_read(&wait, sizeof(wait), &event));
	assert_true(off_cpu_event_read(&times, sizeof(times), &event));
	assert_false(off_cpu_event_read(&times, sizeof(times) - 1, &event));
	times.kind++;
	assert_false(off_cpu_event_read(&times, sizeof(times), &event));
	assert_false(off_cpu_event_read(&times, 3, &event));
}

#define WATCHED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCHED(a_thread_that_lives_all_the_time_has_all_of_it),
		WATCHED(every_thread_there_all_the_time_adds_up),
		WATCHED(a_sleep_is_found_with_its_stack),
		WATCHED(a_lock_names_who_released_it),
		WATCHED(what_waits_all_the_time_is_closed_by_the_window),
		WATCHED(times_outside_the_window_do_not_count),
		WATCHED(exec_parts_the_times_of_a_thread),
		cmocka_unit_test(damaged_records_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
