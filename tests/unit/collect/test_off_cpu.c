/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's account of threads that know themselves what they did. The kernel's clocks are
 * the oracle: a thread's running time is its CLOCK_THREAD_CPUTIME_ID, its waits lie within what it
 * measured around them, and all its times together are the window.
 */
#include "collect/off_cpu.h"

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
#include "collect/cpu_list.h"
#include "collect/perf_record.h"
#include "collect/ring.h"
#include "thread_state.h"

enum { MAX_CPUS = 256, RING_BYTES = 256 * 1024, SLEEP_MS = 60 };

/* Ends the waiting for what never comes: on a busy machine the rest comes late. */
static const uint64_t PATIENCE_NS = 120 * NS_PER_S;

struct watch {
	struct off_cpu *off_cpu;
	struct off_cpu_output outputs[MAX_CPUS];
	struct ring rings[MAX_CPUS];
	size_t cpus;
	VEC(union off_cpu_event) events;
	uint64_t opened_ns, closed_ns;
	struct perf_format format;
	thread_numbers there; /* before the window */
};

static struct perf_event_attr output_attr(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.sample_period = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static void watch_open_rings(struct watch *watch)
{
	struct perf_event_attr attr = output_attr();
	struct err err;
	int *numbers;

	assert_int_equal(cpu_list_online(&numbers, &watch->cpus, &err), 0);
	assert_in_range(watch->cpus, 1, MAX_CPUS);
	watch->format = perf_format_of(&attr);
	for (size_t i = 0; i < watch->cpus; i++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, numbers[i], -1,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd < 0) {
			print_message("no BPF_OUTPUT event: %s\n", strerror(errno));
			free(numbers);
			skip();
		}
		assert_int_equal(ring_map(&watch->rings[i], fd, RING_BYTES), 0);
		watch->outputs[i] = (struct off_cpu_output){ numbers[i], fd };
	}
	free(numbers);
}

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct watch));
	return 0;
}

static int tear_down(void **state)
{
	struct watch *watch = *state;

	off_cpu_free(watch->off_cpu);
	for (size_t i = 0; i < watch->cpus; i++) {
		ring_unmap(&watch->rings[i]);
		close(watch->outputs[i].fd);
	}
	vec_free(&watch->events);
	vec_free(&watch->there);
	free(watch);
	return 0;
}

static void watch_begin(struct watch *watch)
{
	struct err err = { "" };
	int rc;

	watch_open_rings(watch);
	rc = off_cpu_new(NULL, &watch->off_cpu, &err);
	if (rc < 0) {
		assert_true(err.text[0] != '\0');
		print_message("%s\n", err.text);
		skip();
	}
	/* The machine may be busy with other waits. */
	assert_int_equal(off_cpu_choose(watch->off_cpu, getpid(), false, &err), 0);
	assert_int_equal(off_cpu_attach(watch->off_cpu, watch->outputs, watch->cpus, &err), 0);
	watch->opened_ns = off_cpu_open(watch->off_cpu);
}

static void keep(void *context, const union off_cpu_event *event)
{
	struct watch *watch = context;

	*vec_push(&watch->events) = *event;
}

static void keep_record(void *context, const void *bytes, size_t size)
{
	struct watch *watch = context;
	struct perf_record record;
	union off_cpu_event event;

	assert_int_equal(perf_record_read(bytes, size, &watch->format, &record), 0);
	if (record.type != PERF_RECORD_SAMPLE)
		return;
	assert_true(off_cpu_event_read(record.sample.raw, record.sample.raw_size, &event));
	keep(watch, &event);
}

static void watch_drain(struct watch *watch)
{
	for (size_t i = 0; i < watch->cpus; i++)
		ring_read(&watch->rings[i], keep_record, watch);
}

static void watch_end(struct watch *watch)
{
	watch->closed_ns = off_cpu_stop(watch->off_cpu);
	off_cpu_close(watch->off_cpu, keep, watch);
	watch_drain(watch);
}

static void sleep_ms(unsigned ms)
{
	struct timespec time = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&time, NULL);
}

/* All times of a thread (there are several records when it calls exec); @ret_why of the last. */
static struct off_cpu_times times_of(const struct watch *watch, pid_t tid, enum off_cpu_why why)
{
	struct off_cpu_times sum = { 0 };
	size_t found = 0;

	for (size_t i = 0; i < watch->events.count; i++) {
		const union off_cpu_event *event = &watch->events.items[i];

		if (event->kind != OFF_CPU_TIMES || event->times.tid != (uint32_t)tid ||
		    event->times.why != why)
			continue;
		sum = event->times.times;
		found++;
	}
	assert_int_equal(found, 1);
	return sum;
}

static bool has_times(const struct watch *watch, pid_t tid, enum off_cpu_why why)
{
	for (size_t i = 0; i < watch->events.count; i++) {
		const struct off_cpu_times_record *record = &watch->events.items[i].times;

		if (record->kind == OFF_CPU_TIMES && record->tid == (uint32_t)tid &&
		    record->why == why)
			return true;
	}
	return false;
}

/* Until the thread has left its CPU for the last time: who joins it is told of its end before. */
static void watch_until_exit(struct watch *watch, pid_t tid)
{
	const uint64_t until_ns = clock_ns() + PATIENCE_NS;

	while (watch_drain(watch), !has_times(watch, tid, OFF_CPU_EXIT)) {
		assert_true(clock_ns() < until_ns);
		sleep_ms(1);
	}
}

static uint64_t sum_of(const struct off_cpu_times *times)
{
	return times->running_ns + times->runnable_ns + times->blocked_ns;
}

/* The wait of a thread that was blocked longest, of those that began in this time: it may have
 * waited for memory before and after. */
static const struct off_cpu_wait_record *longest_wait(const struct watch *watch, pid_t tid,
						      uint64_t from_ns, uint64_t to_ns)
{
	const struct off_cpu_wait_record *longest = NULL;

	for (size_t i = 0; i < watch->events.count; i++) {
		const struct off_cpu_wait_record *wait = &watch->events.items[i].wait;

		if (wait->kind == OFF_CPU_WAIT && wait->tid == (uint32_t)tid &&
		    wait->left_ns >= from_ns && wait->left_ns <= to_ns &&
		    (!longest || wait->blocked_ns > longest->blocked_ns))
			longest = wait;
	}
	assert_non_null(longest);
	return longest;
}

/* Was this sent of the wait before it was over: the user stack (LEFT), the waker's (WOKE)? */
static bool was_told(const struct watch *watch, const struct off_cpu_wait_record *wait,
		     enum off_cpu_kind kind)
{
	for (size_t i = 0; i < watch->events.count; i++) {
		const union off_cpu_event *event = &watch->events.items[i];
		uint64_t left_ns = kind == OFF_CPU_LEFT ? event->left.left_ns : event->woke.left_ns;
		uint32_t count = kind == OFF_CPU_LEFT ? event->left.count : event->woke.count;

		if (event->kind == kind && event->times.tid == wait->tid &&
		    left_ns == wait->left_ns && count > 0)
			return true;
	}
	return false;
}

/* What a thread did, and saw of itself. */
struct self {
	_Atomic pid_t tid;	   /* 0 until it runs */
	uint64_t begin_ns, end_ns; /* around its sleep */
	uint64_t cpu_ns;
	pthread_mutex_t *mutex;
	int fd;
};

static void *sleep_once(void *argument)
{
	struct self *self = argument;

	self->tid = (pid_t)syscall(SYS_gettid);
	self->begin_ns = thread_sleep_undisturbed(SLEEP_MS, PATIENCE_NS);
	self->end_ns = clock_ns();
	self->cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void a_thread_that_lives_all_the_time_has_all_of_it(void **state)
{
	struct watch *watch = *state;
	struct off_cpu_times times;
	uint64_t cpu_ns;

	watch_begin(watch);
	cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
	thread_sleep_undisturbed(SLEEP_MS, PATIENCE_NS);
	for (uint64_t until = clock_ns() + 20 * NS_PER_MS; clock_ns() < until;)
		;
	cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	watch_end(watch);
	times = times_of(watch, getpid(), OFF_CPU_CLOSE);
	assert_int_equal(sum_of(&times), watch->closed_ns - watch->opened_ns);
	assert_true(times.running_ns >= cpu_ns - cpu_ns / 50);
	assert_true(times.blocked_ns >= (SLEEP_MS - 1) * NS_PER_MS);
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
	assert_true(times.blocked_ns >= (SLEEP_MS - 1) * NS_PER_MS);
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
	assert_true(wait->blocked_ns >= (SLEEP_MS - 1) * NS_PER_MS);
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
		thread_sleep_undisturbed(SLEEP_MS, PATIENCE_NS);
		execl("/bin/sleep", "sleep", "0.2", (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	watch_until_exit(watch, child);
	took_ns = clock_ns() - took_ns;
	watch_end(watch);
	before = times_of(watch, child, OFF_CPU_EXEC);
	after = times_of(watch, child, OFF_CPU_EXIT);
	assert_true(before.blocked_ns >= (SLEEP_MS - 1) * NS_PER_MS);
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
