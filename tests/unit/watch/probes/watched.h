/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of this program that know themselves how often they were called, and whose times the
 * kernel's own clocks bound; and a watch of them.
 */
#ifndef TESTS_UNIT_WATCH_PROBES_WATCHED_H
#define TESTS_UNIT_WATCH_PROBES_WATCHED_H

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "watch/probes/probes.h"

#define WATCHED __attribute__((noinline, noclone, unused))
#define KEEP	__asm__ volatile("" ::: "memory")

enum { CALLS = 500, THREADS = 4, MS = 1000 * 1000 };

WATCHED static long leaf(long value)
{
	KEEP;
	return value;
}

WATCHED static long recurse(long depth)
{
	long below = depth > 0 ? recurse(depth - 1) : 0;

	KEEP;
	return below + 1;
}

WATCHED static void sleep_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * MS };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		;
}

/* Of CPU time. */
WATCHED static void spin_ms(uint64_t ms)
{
	uint64_t end = clock_read(CLOCK_THREAD_CPUTIME_ID) + ms * MS;

	while (clock_read(CLOCK_THREAD_CPUTIME_ID) < end)
		KEEP;
}

WATCHED static void wait_for(int fd)
{
	char byte;

	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
}

/* ---- a watch of them ---- */

struct place {
	uintptr_t address;
	uint64_t offset;
};

static inline int find_offset(struct dl_phdr_info *info, size_t size, void *context)
{
	struct place *place = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && place->address >= start &&
		    place->address - start < segment->p_filesz)
			place->offset = place->address - start + segment->p_offset;
	}
	return 1;
}

static inline struct probe_target target_at(uintptr_t address)
{
	struct place place = { .address = address };

	dl_iterate_phdr(find_offset, &place);
	assert_int_not_equal(place.offset, 0);
	return (struct probe_target){
		.label = "function", .user = true, .path = "/proc/self/exe", .offset = place.offset
	};
}

#define TARGET(function) target_at((uintptr_t)(function))

enum { MAX_TARGETS = 8 };

struct watch {
	struct probe_target targets[MAX_TARGETS];
	struct probe_options options;
	int32_t pid;
	struct probes *probes;
	uint64_t opened_ns;
	struct probe_reading reading;
};

static inline struct watch watch_of(unsigned measures)
{
	struct watch watch = { .pid = getpid() };

	watch.options.measures = measures;
	return watch;
}

static inline void add(struct watch *watch, struct probe_target target)
{
	watch->targets[watch->options.target_count++] = target;
}

static inline void begin(struct watch *watch)
{
	struct err err = { "" };
	int rc;

	watch->options.targets = watch->targets;
	if (!watch->options.filter.pid_count) {
		watch->options.filter.pids = &watch->pid;
		watch->options.filter.pid_count = 1;
	}
	rc = probes_new(&watch->options, &watch->probes, &err);
	if (rc == -EPERM || rc == -EACCES || rc == -ENOSYS || rc == -ESRCH || rc == -ENOENT) {
		print_message("%s\n", err.text);
		skip();
	}
	if (rc < 0)
		fail_msg("%s", err.text);
	rc = probes_attach(watch->probes, &err);
	if (rc < 0)
		fail_msg("%s", err.text);
	watch->opened_ns = probes_open(watch->probes);
}

static inline void end(struct watch *watch)
{
	probes_close(watch->probes);
	probes_read(watch->probes, &watch->reading);
}

/* The sum of a target's rows; longest_ns is right only if there is one. */
static inline struct probe_counts counts_of(const struct watch *watch, size_t target)
{
	struct probe_counts sum = { .entries = 0 };

	for (size_t i = 0; i < watch->reading.row_count; i++) {
		const struct probe_row *row = &watch->reading.rows[i];
		const uint64_t *from = (const uint64_t *)&row->counts;
		uint64_t *to = (uint64_t *)&sum;

		if (row->target != target)
			continue;
		for (size_t j = 0; j < sizeof(sum) / sizeof(*to); j++)
			to[j] += from[j];
	}
	return sum;
}

static inline uint64_t sum_of(const uint64_t *histogram, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += histogram[i];
	return sum;
}

static inline void done(struct watch *watch)
{
	probes_free(watch->probes);
}

/* Every call was seen from its entry to its exit. */
static inline void assert_whole(const struct probe_counts *counts, uint64_t calls)
{
	assert_int_equal(counts->entries, calls);
	assert_int_equal(counts->exits, calls);
	assert_int_equal(counts->inside, 0);
	assert_int_equal(counts->abandoned, 0);
	assert_int_equal(counts->died, 0);
	assert_int_equal(counts->unmatched, 0);
	assert_int_equal(counts->too_deep, 0);
}

/* ---- threads that migrate ---- */

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* The first two CPUs that we may run on. */
static inline bool find_two_cpus(int cpus[2])
{
	cpu_set_t set;
	int found = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < CPU_SETSIZE && found < 2; i++) {
		if (CPU_ISSET(i, &set))
			cpus[found++] = i;
	}
	return found == 2;
}

__attribute__((unused)) static int two_cpus[2];

WATCHED static void migrate(int from, int to)
{
	pin(from);
	KEEP;
	pin(to);
}

static inline void *run_migrations(void *unused)
{
	for (int i = 0; i < CALLS; i++) {
		pin(two_cpus[i % 2]);
		leaf(i);
		migrate(two_cpus[0], two_cpus[1]);
	}
	return unused;
}

#endif
