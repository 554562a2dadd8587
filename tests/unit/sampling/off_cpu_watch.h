/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's account of this machine's threads while a test runs: the window is opened, and
 * the records from the kernel side are kept and looked up by thread. */
#ifndef TESTS_UNIT_COLLECT_OFF_CPU_WATCH_H
#define TESTS_UNIT_COLLECT_OFF_CPU_WATCH_H

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
#include "sampling/off_cpu.h"
#include "thread_state.h"

enum { MAX_CPUS = 256, RING_BYTES = 256 * 1024, SLEEP_MS = 60, PARTS = 5 };

/* Of a sleep: on the way to it interrupts, or a host that wants the processor, may take their part.
 */
static const uint64_t LEAST_BLOCKED_NS = SLEEP_MS / 2 * NS_PER_MS;
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

static inline struct perf_event_attr output_attr(void)
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

static inline void watch_open_rings(struct watch *watch)
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

static inline int set_up(void **state)
{
	*state = calloc(1, sizeof(struct watch));
	return 0;
}

static inline int tear_down(void **state)
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

static inline void watch_begin(struct watch *watch)
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
	assert_int_equal(off_cpu_choose(watch->off_cpu, getpid(), CHOSEN_PROCESS, false, &err), 0);
	assert_int_equal(off_cpu_attach(watch->off_cpu, watch->outputs, watch->cpus, &err), 0);
	watch->opened_ns = off_cpu_open(watch->off_cpu);
}

static inline void keep(void *context, const union off_cpu_event *event)
{
	struct watch *watch = context;

	*vec_push(&watch->events) = *event;
}

static inline void keep_record(void *context, const void *bytes, size_t size)
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

static inline void watch_drain(struct watch *watch)
{
	for (size_t i = 0; i < watch->cpus; i++)
		ring_read(&watch->rings[i], keep_record, watch);
}

static inline void watch_end(struct watch *watch)
{
	watch->closed_ns = off_cpu_stop(watch->off_cpu);
	off_cpu_close(watch->off_cpu, keep, watch);
	watch_drain(watch);
}

static inline void sleep_ms(unsigned ms)
{
	struct timespec time = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&time, NULL);
}

/* All times of a thread (there are several records when it calls exec); @ret_why of the last. */
static inline struct off_cpu_times times_of(const struct watch *watch, pid_t tid,
					    enum off_cpu_why why)
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

static inline bool has_times(const struct watch *watch, pid_t tid, enum off_cpu_why why)
{
	for (size_t i = 0; i < watch->events.count; i++) {
		const struct off_cpu_times_record *record = &watch->events.items[i].times;

		if (record->kind == OFF_CPU_TIMES && record->tid == (uint32_t)tid &&
		    record->why == why)
			return true;
	}
	return false;
}

/* Waits until the thread has left its CPU for the last time: pthread_join returns before that. */
static inline void watch_until_exit(struct watch *watch, pid_t tid)
{
	const uint64_t until_ns = clock_ns() + PATIENCE_NS;

	while (watch_drain(watch), !has_times(watch, tid, OFF_CPU_EXIT)) {
		assert_true(clock_ns() < until_ns);
		sleep_ms(1);
	}
}

static inline uint64_t sum_of(const struct off_cpu_times *times)
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
static inline bool was_told(const struct watch *watch, const struct off_cpu_wait_record *wait,
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

#endif
