/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of this program that know themselves how often they were called, and whose times the
 * kernel's own clocks bound.
 */
#include "watch/probes/probes.h"

#include <errno.h>
#include <link.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

#define WATCHED __attribute__((noinline, noclone))
#define KEEP	__asm__ volatile("" ::: "memory")

enum { CALLS = 500, THREADS = 4, MS = 1000 * 1000 };

static jmp_buf way_out;

/* ---- what is watched ---- */

WATCHED static long leaf(long value)
{
	KEEP;
	return value;
}

WATCHED static long pass_on(long value)
{
	KEEP;
	return leaf(value + 1);
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

WATCHED static void jump_out(int value)
{
	KEEP;
	longjmp(way_out, value);
}

WATCHED static void die(void)
{
	KEEP;
	syscall(SYS_exit, 0);
}

WATCHED static void wait_for(int fd)
{
	char byte;

	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
}

/* Checks of memory touch pages of their own. */
__attribute__((no_sanitize("address", "undefined"))) WATCHED static void *touch(void *page)
{
	*(volatile char *)page = 1;
	return page;
}

/* ---- a watch of them ---- */

struct place {
	uintptr_t address;
	uint64_t offset;
};

static int find_offset(struct dl_phdr_info *info, size_t size, void *context)
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

static struct probe_target target_at(uintptr_t address)
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

static struct watch watch_of(unsigned measures)
{
	struct watch watch = { .pid = getpid() };

	watch.options.measures = measures;
	return watch;
}

static void add(struct watch *watch, struct probe_target target)
{
	watch->targets[watch->options.target_count++] = target;
}

static void begin(struct watch *watch)
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

static void end(struct watch *watch)
{
	probes_close(watch->probes);
	probes_read(watch->probes, &watch->reading);
}

/* The sum of a target's rows; fields that are no sums are those of the last. */
static struct probe_counts counts_of(const struct watch *watch, size_t target)
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

static uint64_t sum_of(const uint64_t *histogram, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += histogram[i];
	return sum;
}

static void done(struct watch *watch)
{
	probes_free(watch->probes);
}

/* Every call was seen from its entry to its exit. */
static void assert_whole(const struct probe_counts *counts, uint64_t calls)
{
	assert_int_equal(counts->entries, calls);
	assert_int_equal(counts->exits, calls);
	assert_int_equal(counts->inside, 0);
	assert_int_equal(counts->abandoned, 0);
	assert_int_equal(counts->died, 0);
	assert_int_equal(counts->unmatched, 0);
	assert_int_equal(counts->too_deep, 0);
}

/* ---- tests ---- */

static void test_every_call_is_counted(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	uint64_t took_ns;

	(void)state;
	add(&watch, TARGET(leaf));
	add(&watch, TARGET(spin_ms)); /* not called */
	begin(&watch);
	took_ns = clock_ns();
	for (int i = 0; i < CALLS; i++)
		leaf(i);
	took_ns = clock_ns() - took_ns;
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	assert_true(counts.wall_ns > 0 && counts.wall_ns < took_ns);
	assert_true(counts.virtual_ns > 0 && counts.virtual_ns <= counts.wall_ns);
	assert_true(counts.longest_ns >= counts.wall_ns / CALLS);
	assert_int_equal(counts.nested, 0);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, 0);
	assert_true(watch.reading.cost.hits >= 2 * CALLS);
	assert_true(watch.reading.cost.program_ns > 0);
	assert_true(watch.reading.cost.trap_ns > 0);
	done(&watch);
}

static void test_entries_alone(void **state)
{
	struct watch watch = watch_of(0);

	(void)state;
	add(&watch, TARGET(leaf));
	begin(&watch);
	for (int i = 0; i < CALLS; i++)
		leaf(i);
	end(&watch);
	assert_int_equal(counts_of(&watch, 0).entries, CALLS);
	assert_int_equal(counts_of(&watch, 0).exits, 0);
	done(&watch);
}

static void test_nothing_is_counted_outside_the_window(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);

	(void)state;
	add(&watch, TARGET(leaf));
	leaf(1);
	begin(&watch);
	leaf(2);
	end(&watch);
	leaf(3);
	probes_read(watch.probes, &watch.reading);
	assert_int_equal(counts_of(&watch, 0).entries, 1);
	done(&watch);
}

struct caller {
	int cpu;
	uint64_t calls;
	int stop;
};

static int stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static void *call_until_stopped(void *context)
{
	struct caller *caller = context;
	const struct sched_param normal = { .sched_priority = 0 };

	sched_setscheduler(0, SCHED_OTHER, &normal);
	stay_on(caller->cpu);
	while (!__atomic_load_n(&caller->stop, __ATOMIC_RELAXED)) {
		leaf(1);
		__atomic_add_fetch(&caller->calls, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Before whatever else wants its CPU: the other thread runs only while this one waits, and so not
 * between two steps of closing, but while the kernel detaches, where exits are hit for longer than
 * entries. False: not permitted. */
static bool come_first(bool first)
{
	const struct sched_param param = { .sched_priority = first };

	return sched_setscheduler(0, first ? SCHED_FIFO : SCHED_OTHER, &param) == 0;
}

static void test_hits_while_detaching_cost_nothing(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	struct caller caller = { .cpu = sched_getcpu() };
	cpu_set_t before;
	pthread_t thread;
	uint64_t calls;

	(void)state;
	add(&watch, TARGET(leaf));
	begin(&watch);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (stay_on(caller.cpu) < 0 || !come_first(true)) {
		done(&watch);
		print_message("this thread cannot come before others\n");
		skip();
	}
	assert_int_equal(pthread_create(&thread, NULL, call_until_stopped, &caller), 0);
	while (!__atomic_load_n(&caller.calls, __ATOMIC_RELAXED))
		sleep_ms(1);
	calls = __atomic_load_n(&caller.calls, __ATOMIC_RELAXED);
	end(&watch);
	__atomic_store_n(&caller.stop, 1, __ATOMIC_RELAXED);
	come_first(false);
	sched_setaffinity(0, sizeof(before), &before);
	pthread_join(thread, NULL);
	assert_in_range(watch.reading.cost.hits, 2 * calls, 2 * calls + 2);
	assert_in_range(counts_of(&watch, 0).entries, calls, calls + 1);
	done(&watch);
}

static void test_recursion_is_in_the_time_once(void **state)
{
	enum { DEPTH = 20 };
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL | PROBE_LATENCY);
	struct probe_counts counts;
	uint64_t took_ns;

	(void)state;
	add(&watch, TARGET(recurse));
	begin(&watch);
	took_ns = clock_ns();
	for (int i = 0; i < CALLS / DEPTH; i++)
		recurse(DEPTH - 1);
	took_ns = clock_ns() - took_ns;
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	assert_int_equal(counts.nested, CALLS - CALLS / DEPTH);
	assert_true(counts.wall_ns <= took_ns);
	assert_int_equal(
		sum_of(watch.reading.rows[0].latency, probes_latency_scale(watch.probes).count),
		CALLS);
	done(&watch);
}

/* The kernel follows 64 returns of a thread; what is deeper is counted apart, and what is above
 * goes on well. */
static void test_what_is_too_deep(void **state)
{
	enum { DEPTH = 100, LIMIT = 64 };
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(recurse));
	begin(&watch);
	recurse(DEPTH - 1);
	recurse(9);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, DEPTH + 10);
	assert_int_equal(counts.too_deep, DEPTH - LIMIT);
	assert_int_equal(counts.exits, LIMIT + 10);
	assert_int_equal(counts.inside, 0);
	done(&watch);
}

static void test_tail_calls(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(leaf));
	add(&watch, TARGET(pass_on));
	begin(&watch);
	for (int i = 0; i < CALLS; i++)
		pass_on(i);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, CALLS);
	done(&watch);
}

static void test_sleep_is_wall_and_not_virtual(void **state)
{
	enum { TIMES = 4, SLEEP = 30 };
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	uint64_t took_ns;

	(void)state;
	add(&watch, TARGET(sleep_ms));
	begin(&watch);
	took_ns = clock_ns();
	for (int i = 0; i < TIMES; i++)
		sleep_ms(SLEEP);
	took_ns = clock_ns() - took_ns;
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, TIMES);
	assert_in_range(counts.wall_ns, (uint64_t)TIMES * SLEEP * MS, took_ns);
	assert_true(counts.virtual_ns <= counts.wall_ns - (uint64_t)TIMES * SLEEP * MS / 2);
	assert_true(counts.virtual_ns > 0);
	done(&watch);
}

static void test_virtual_time_is_time_on_a_cpu(void **state)
{
	enum { SPIN = 60 };
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(spin_ms));
	begin(&watch);
	spin_ms(SPIN);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, 1);
	/* The kernel's clock goes on for the moments of a switch, which may last where the host
	 * takes its CPU away just then. */
	assert_in_range(counts.virtual_ns, (uint64_t)SPIN * MS / 2, counts.wall_ns);
	done(&watch);
}

static void test_jumps_out_are_no_exits(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	volatile int jumps = 0;

	(void)state;
	add(&watch, TARGET(jump_out));
	add(&watch, TARGET(leaf));
	begin(&watch);
	if (setjmp(way_out) < CALLS)
		jump_out(++jumps);
	leaf(1); /* shows that the last one was left */
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, CALLS);
	assert_int_equal(counts.exits, 0);
	assert_int_equal(counts.abandoned + counts.inside, CALLS);
	assert_true(counts.inside <= 1);
	assert_int_equal(counts.too_deep, 0);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, 1);
	done(&watch);
}

/* A process of its own each: what watches this test's memory does not like threads to vanish. */
WATCHED static void jump_from_below(void)
{
	volatile char room[512];

	room[0] = 1;
	jump_out(room[0]);
	KEEP;
}

/* What enters higher in the stack shows that the call below was left. */
static void test_jumps_to_higher_in_the_stack(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(jump_out));
	add(&watch, TARGET(leaf));
	begin(&watch);
	if (setjmp(way_out) == 0)
		jump_from_below();
	leaf(1);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, 1);
	assert_int_equal(counts.abandoned, 1);
	assert_int_equal(counts.inside, 0);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, 1);
	done(&watch);
}

WATCHED static long catch_jump(long value)
{
	if (setjmp(way_out) == 0)
		jump_out(1);
	KEEP;
	return value;
}

/* The caller's return is what shows that the callee was left: no entry comes behind it. */
static void test_jumps_to_a_caller_that_returns(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(jump_out));
	add(&watch, TARGET(catch_jump));
	begin(&watch);
	catch_jump(1);
	probes_read(watch.probes, &watch.reading);
	counts = counts_of(&watch, 0);
	sleep_ms(5);
	end(&watch);
	/* Nothing of it goes on. */
	assert_int_equal(counts_of(&watch, 0).wall_ns, counts.wall_ns);
	assert_int_equal(counts_of(&watch, 0).virtual_ns, counts.virtual_ns);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, 1);
	assert_int_equal(counts.exits, 0);
	assert_int_equal(counts.abandoned, 1);
	assert_int_equal(counts.inside, 0);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, 1);
	done(&watch);
}

static void test_threads_that_die_inside(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;

	(void)state;
	watch.options.filter.follow = true;
	add(&watch, TARGET(die));
	begin(&watch);
	for (int i = 0; i < THREADS; i++) {
		pid_t child = fork();

		if (child == 0)
			die();
		assert_int_equal(waitpid(child, NULL, 0), child);
	}
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, THREADS);
	assert_int_equal(counts.died, THREADS);
	assert_int_equal(counts.exits, 0);
	assert_int_equal(counts.inside, 0);
	done(&watch);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* The first two CPUs that we may run on. */
static bool find_two_cpus(int cpus[2])
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

static int two_cpus[2];

WATCHED static void migrate(int from, int to)
{
	pin(from);
	KEEP;
	pin(to);
}

static void *run_migrations(void *unused)
{
	for (int i = 0; i < CALLS; i++) {
		pin(two_cpus[i % 2]);
		leaf(i);
		migrate(two_cpus[0], two_cpus[1]);
	}
	return unused;
}

static void test_threads_that_migrate(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL | PROBE_MOVED);
	pthread_t threads[THREADS];
	struct probe_counts counts;

	(void)state;
	if (!find_two_cpus(two_cpus)) {
		print_message("needs two CPUs\n");
		skip();
	}
	watch.options.key = PROBE_BY_CPU;
	add(&watch, TARGET(leaf));
	add(&watch, TARGET(migrate));
	begin(&watch);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_migrations, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, (uint64_t)THREADS * CALLS);
	assert_int_equal(counts.moved, (uint64_t)THREADS * (CALLS - 1));
	for (size_t i = 0; i < watch.reading.row_count; i++) {
		const struct probe_row *row = &watch.reading.rows[i];

		if (row->target == 0)
			assert_int_equal(row->counts.entries, THREADS * CALLS / 2);
		/* All came in on either CPU, and went out on the second. */
		else
			assert_int_equal(row->counts.exits,
					 row->id == two_cpus[1] ? THREADS * CALLS : 0);
	}
	counts = counts_of(&watch, 1);
	assert_whole(&counts, (uint64_t)THREADS * CALLS);
	assert_true(counts.virtual_ns <= counts.wall_ns);
	done(&watch);
}

static void *run_leaf(void *unused)
{
	for (int i = 0; i < CALLS; i++)
		leaf(i);
	return unused;
}

static void test_rows_by_thread(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	pthread_t threads[THREADS];

	(void)state;
	watch.options.key = PROBE_BY_THREAD;
	add(&watch, TARGET(leaf));
	begin(&watch);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_leaf, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	end(&watch);
	assert_int_equal(watch.reading.row_count, THREADS);
	for (size_t i = 0; i < watch.reading.row_count; i++) {
		assert_whole(&watch.reading.rows[i].counts, CALLS);
		assert_int_equal(watch.reading.rows[i].pid, getpid());
	}
	done(&watch);
}

static void test_a_full_table_of_keys(void **state)
{
	struct watch watch = watch_of(0);
	pthread_t threads[THREADS];

	(void)state;
	watch.options.key = PROBE_BY_THREAD;
	watch.options.most_keys = THREADS - 1;
	add(&watch, TARGET(leaf));
	begin(&watch);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, run_leaf, NULL), 0);
		pthread_join(threads[i], NULL);
	}
	end(&watch);
	assert_int_equal(counts_of(&watch, 0).entries, (THREADS - 1) * CALLS);
	assert_int_equal(watch.reading.cost.keys_lost, CALLS);
	done(&watch);
}

static void *run_wait(void *fd)
{
	wait_for(*(int *)fd);
	return NULL;
}

static void test_calls_that_are_inside(void **state)
{
	enum { WAIT = 40 };
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	uint64_t began_ns;
	pthread_t thread;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	add(&watch, TARGET(wait_for));
	begin(&watch);
	assert_int_equal(pthread_create(&thread, NULL, run_wait, &fds[0]), 0);
	do {
		probes_read(watch.probes, &watch.reading);
		counts = counts_of(&watch, 0);
		assert_true(clock_ns() - watch.opened_ns < 60 * NS_PER_S);
	} while (counts.inside == 0);
	began_ns = clock_ns();
	sleep_ms(WAIT);
	probes_read(watch.probes, &watch.reading);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.inside, 1);
	assert_int_equal(counts.exits, 0);
	assert_in_range(counts.wall_ns, watch.reading.time_ns - began_ns - MS,
			watch.reading.time_ns - watch.opened_ns);
	assert_int_equal(write(fds[1], "", 1), 1);
	pthread_join(thread, NULL);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, 1);
	close(fds[0]);
	close(fds[1]);
	done(&watch);
}

static void test_conditions(void **state)
{
	static const struct {
		const char *condition;
		uint64_t calls; /* of leaf(0) to leaf(CALLS - 1) */
	} cases[] = {
		{ "arg1 < 100", 100 },
		{ "arg1 >= 100 && arg1 <= 199", 100 },
		{ "arg1 == 7 || arg1 == 8 || !(arg1 != 9)", 3 },
		{ "arg1 & 1", CALLS / 2 },
		{ "arg1:u8 == 3 && arg1 > 255", 1 },
		{ "arg1 in 10..19", 10 },
		{ "comm == \"somebody else\"", 0 },
		{ "uid != 0xffffffff && cpu >= 0", CALLS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct watch watch = watch_of(i % 2 ? PROBE_EXITS : 0);

		watch.options.filter.condition = cases[i].condition;
		add(&watch, TARGET(leaf));
		begin(&watch);
		for (int j = 0; j < CALLS; j++)
			leaf(j);
		end(&watch);
		assert_int_equal(counts_of(&watch, 0).entries, cases[i].calls);
		assert_int_equal(counts_of(&watch, 0).exits, i % 2 ? cases[i].calls : 0);
		assert_int_equal(counts_of(&watch, 0).unmatched, 0);
		done(&watch);
	}
}

/* leaf() returns what it is given. */
static void test_conditions_on_what_is_returned(void **state)
{
	static const struct {
		const char *condition, *error_if;
		uint64_t calls, errors; /* of leaf(-100) to leaf(CALLS - 1) */
	} cases[] = {
		{ "retval < 0", NULL, 100, 100 },
		{ "retval:u32 == 0xffffffff", NULL, 1, 1 },
		{ "arg1 >= 100 && retval < 110", NULL, 10, 0 },
		{ "arg1 in -5..4 && retval != 0", "retval > 0", 9, 4 },
		{ NULL, "retval == NULL", CALLS + 100, 1 },
		{ NULL, "retval == -1 || retval > 400", CALLS + 100, CALLS - 400 },
		{ "retval == 7 && comm == \"somebody else\"", NULL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct watch watch = watch_of(0);

		watch.options.filter.condition = cases[i].condition;
		watch.options.error_if = cases[i].error_if;
		add(&watch, TARGET(leaf));
		begin(&watch);
		for (int j = -100; j < CALLS; j++)
			leaf(j);
		end(&watch);
		assert_int_equal(counts_of(&watch, 0).entries, cases[i].calls);
		assert_int_equal(counts_of(&watch, 0).exits, cases[i].calls);
		assert_int_equal(counts_of(&watch, 0).errors, cases[i].errors);
		assert_int_equal(counts_of(&watch, 0).inside, 0);
		assert_int_equal(counts_of(&watch, 0).unmatched, 0);
		done(&watch);
	}
}

/* recurse(n) returns n + 1: of its calls into itself, that with 5 is once inside the others. */
static void test_nested_calls_with_what_they_return(void **state)
{
	enum { DEPTH = 10, TIMES = 20 };
	static const char *const conditions[] = { "retval == 5", "retval == 10", "retval > 5" };
	static const uint64_t entries[] = { TIMES, TIMES, TIMES * 5 };
	static const uint64_t nested[] = { TIMES, 0, TIMES * 4 };

	(void)state;
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL | PROBE_LATENCY);
		struct probe_counts counts;

		watch.options.filter.condition = conditions[i];
		add(&watch, TARGET(recurse));
		begin(&watch);
		for (int j = 0; j < TIMES; j++)
			recurse(DEPTH - 1);
		end(&watch);
		counts = counts_of(&watch, 0);
		assert_whole(&counts, entries[i]);
		assert_int_equal(counts.nested, nested[i]);
		assert_int_equal(counts.wall_ns > 0, nested[i] < entries[i]);
		assert_int_equal(counts.virtual_ns > 0, nested[i] < entries[i]);
		assert_true(counts.virtual_ns <= counts.wall_ns);
		assert_int_equal(sum_of(watch.reading.rows[0].latency,
					probes_latency_scale(watch.probes).count),
				 entries[i]);
		done(&watch);
	}
}

static void test_what_is_too_deep_to_return(void **state)
{
	enum { DEPTH = 100, LIMIT = 64 };
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	watch.options.filter.condition = "retval > 0";
	add(&watch, TARGET(recurse));
	begin(&watch);
	recurse(DEPTH - 1);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, LIMIT);
	assert_int_equal(counts.exits, LIMIT);
	assert_int_equal(counts.too_deep, DEPTH - LIMIT);
	done(&watch);
}

static void test_migrations_with_what_is_returned(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_MOVED);
	struct probe_counts counts;
	pthread_t thread;

	(void)state;
	if (!find_two_cpus(two_cpus)) {
		print_message("needs two CPUs\n");
		skip();
	}
	watch.options.filter.condition = "retval != -1";
	add(&watch, TARGET(leaf));
	begin(&watch);
	assert_int_equal(pthread_create(&thread, NULL, run_migrations, NULL), 0);
	pthread_join(thread, NULL);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	assert_int_equal(counts.moved, CALLS - 1);
	done(&watch);
}

/* Sleeps, then spins, and tells which number this was. */
WATCHED static long sleep_and_spin(long number)
{
	sleep_ms(20);
	spin_ms(10);
	return number;
}

/* The same times as without the condition, but of those calls alone. */
static void test_times_of_what_returns_so(void **state)
{
	enum { TIMES = 6, WANTED = 3, SLEEP = 20, SPIN = 10 };
	static const struct probe_counter counters[] = {
		{ .kind = PROBE_COUNT_CONTEXT_SWITCHES, .name = "context-switches" },
	};
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	uint64_t took_ns = 0;

	(void)state;
	watch.options.filter.condition = "retval & 1";
	watch.options.counters = counters;
	watch.options.counter_count = 1;
	add(&watch, TARGET(sleep_and_spin));
	begin(&watch);
	for (int i = 0; i < TIMES; i++) {
		uint64_t before = clock_ns();

		sleep_and_spin(i);
		if (i & 1)
			took_ns += clock_ns() - before;
	}
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, WANTED);
	assert_in_range(counts.wall_ns, (uint64_t)WANTED * (SLEEP + SPIN) * MS, took_ns);
	assert_in_range(counts.longest_ns, (uint64_t)(SLEEP + SPIN) * MS, counts.wall_ns);
	assert_true(counts.virtual_ns >= (uint64_t)WANTED * SPIN * MS / 2);
	/* The thread's own clock is no bound: the kernel stops it while a host has the CPU. */
	assert_true(counts.virtual_ns <= counts.wall_ns - (uint64_t)WANTED * SLEEP * MS / 2);
	assert_true(counts.counters[0] >= WANTED); /* each slept */
	done(&watch);
}

static void test_values_and_errors(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VALUES);
	struct probe_scale scale;

	(void)state;
	add(&watch, TARGET(leaf));
	begin(&watch);
	for (long value = -4; value < 8; value++)
		leaf(value);
	leaf(1000);
	leaf(-EAGAIN);
	end(&watch);
	scale = probes_value_scale(watch.probes);
	assert_int_equal(counts_of(&watch, 0).errors, 5);
	assert_int_equal(sum_of(watch.reading.rows[0].values, scale.count), 14);
	for (size_t i = 0; i + 1 < scale.count; i++) {
		uint64_t expected = 0;

		for (long value = -4; value < 8; value++)
			expected += value >= scale.lowest[i] && value < scale.lowest[i + 1];
		expected += 1000 >= scale.lowest[i] && 1000 < scale.lowest[i + 1];
		expected += -EAGAIN >= scale.lowest[i] && -EAGAIN < scale.lowest[i + 1];
		assert_int_equal(watch.reading.rows[0].values[i], expected);
	}
	done(&watch);
}

/* What is an error depends on the type, where it is known. */
/* What is above the bits of a type is left over from something else. */
static void test_errors_of_types(void **state)
{
	static const long values[] = { 0,	   5,	       -1,	    -4095,	 -4096,
				       0xffffffff, 0xffff0000, 0x1fffffff7, 0x7f000000ff };
	static const struct {
		struct probe_return returns;
		uint64_t errors;
		int64_t of_last; /* what the last value is then */
		bool no_values;
	} types[] = {
		{ { PROBE_RETURN_UNKNOWN, 0 }, 3, 0x7f000000ff, false },
		{ { PROBE_RETURN_SIGNED, 64 }, 2, 0x7f000000ff, false },
		{ { PROBE_RETURN_SIGNED, 32 }, 4, 0xff, false },
		{ { PROBE_RETURN_SIGNED, 16 }, 4, 0xff, false },
		{ { PROBE_RETURN_SIGNED, 8 }, 4, -1, false },
		{ { PROBE_RETURN_UNSIGNED, 8 }, 0, 0xff, false },
		{ { PROBE_RETURN_UNSIGNED, 64 }, 0, 0x7f000000ff, false },
		{ { PROBE_RETURN_POINTER, 64 }, 3, 0x7f000000ff, false },
		{ { PROBE_RETURN_NOTHING, 0 }, 0, 0, true },
	};
	enum { VALUES = sizeof(values) / sizeof(values[0]) };

	(void)state;
	for (size_t type = 0; type < sizeof(types) / sizeof(types[0]); type++) {
		struct watch watch = watch_of(PROBE_EXITS | PROBE_VALUES);
		struct probe_scale scale;
		size_t bucket = 0;

		add(&watch, TARGET(leaf));
		watch.targets[0].returns = types[type].returns;
		begin(&watch);
		for (size_t i = 0; i < VALUES; i++)
			leaf(values[i]);
		end(&watch);
		assert_int_equal(counts_of(&watch, 0).errors, types[type].errors);
		scale = probes_value_scale(watch.probes);
		while (bucket + 1 < scale.count && scale.lowest[bucket + 1] <= types[type].of_last)
			bucket++;
		assert_int_equal(watch.reading.rows[0].values[bucket] > 0, !types[type].no_values);
		assert_int_equal(sum_of(watch.reading.rows[0].values, scale.count),
				 types[type].no_values ? 0 : VALUES);
		done(&watch);
	}
}

static void test_counters(void **state)
{
	enum { PAGES = 50 };
	static const struct probe_counter counters[] = {
		{ .kind = PROBE_COUNT_PAGE_FAULTS, .name = "page-faults" },
		{ .kind = PROBE_COUNT_CONTEXT_SWITCHES, .name = "context-switches" },
	};
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, (size_t)(PAGES * page), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(madvise(memory, (size_t)(PAGES * page), MADV_NOHUGEPAGE), 0);
	watch.options.counters = counters;
	watch.options.counter_count = 2;
	add(&watch, TARGET(touch));
	add(&watch, TARGET(sleep_ms));
	begin(&watch);
	for (int i = 0; i < PAGES; i++)
		touch(memory + i * page);
	for (int i = 0; i < 5; i++)
		sleep_ms(1);
	end(&watch);
	assert_int_equal(counts_of(&watch, 0).counters[0], PAGES);
	assert_true(counts_of(&watch, 1).counters[1] >= 5);
	assert_int_equal(counts_of(&watch, 1).counters[0], 0);
	munmap(memory, (size_t)(PAGES * page));
	done(&watch);
}

static void fork_and_call(int calls)
{
	pid_t child = fork();

	if (child == 0) {
		for (int i = 0; i < calls; i++)
			leaf(i);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void test_children_are_followed_where_wanted(void **state)
{
	(void)state;
	for (int follow = 0; follow < 2; follow++) {
		struct watch watch = watch_of(PROBE_EXITS);

		watch.options.filter.follow = follow;
		watch.options.key = PROBE_BY_PID;
		add(&watch, TARGET(leaf));
		begin(&watch);
		leaf(0);
		fork_and_call(CALLS);
		fork_and_call(CALLS);
		end(&watch);
		assert_int_equal(watch.reading.row_count, follow ? 3 : 1);
		assert_int_equal(counts_of(&watch, 0).entries, follow ? 2 * CALLS + 1 : 1);
		assert_int_equal(counts_of(&watch, 0).exits, follow ? 2 * CALLS + 1 : 1);
		assert_int_equal(counts_of(&watch, 0).unmatched, 0);
		done(&watch);
	}
}

/* Of processes that are not chosen neither end counts, though their calls meet the probes: with
 * two processes to choose these are everybody's. */
static void test_other_processes_count_for_nothing(void **state)
{
	const int32_t pids[] = { getpid(), getpid() };
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	watch.options.filter.pids = pids;
	watch.options.filter.pid_count = 2;
	add(&watch, TARGET(leaf));
	begin(&watch);
	leaf(0);
	fork_and_call(CALLS);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, 1);
	done(&watch);
}

/* A child that is numbered @wanted, or as it comes (0), and calls leaf when it is let; -errno. */
static pid_t fork_caller(pid_t wanted, int *ret_gate)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	if (wanted) {
		args.set_tid = (uintptr_t)&wanted;
		args.set_tid_size = 1;
	}
	child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (child < 0)
		child = -errno;
	if (child == 0) {
		close(ends[1]);
		wait_for(ends[0]);
		for (int i = 0; i < CALLS; i++)
			leaf(i);
		_exit(0);
	}
	close(ends[0]);
	*ret_gate = ends[1];
	return child;
}

static void let_call(pid_t child, int gate)
{
	close(gate);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Both the first of those that are chosen, which is compared by itself, and others. */
static void test_who_gets_the_number_of_one_that_ended_is_another(void **state)
{
	(void)state;
	for (size_t place = 0; place < 4; place++) {
		struct watch watch = watch_of(place % 2 ? PROBE_EXITS : 0);
		int gate;
		const pid_t child = fork_caller(0, &gate);
		const int32_t pids[] = { place < 2 ? child : getpid(), child };
		pid_t other;

		assert_true(child > 0);
		watch.options.filter.pids = pids;
		watch.options.filter.pid_count = 2;
		watch.options.filter.follow = place == 1;
		add(&watch, TARGET(leaf));
		begin(&watch);
		let_call(child, gate);
		other = fork_caller(child, &gate);
		if (other != child) {
			close(gate);
			done(&watch);
			print_message("no process can get a number of choice: %s\n",
				      strerror(-other));
			skip();
		}
		let_call(other, gate);
		end(&watch);
		assert_int_equal(counts_of(&watch, 0).entries, CALLS);
		assert_int_equal(counts_of(&watch, 0).unmatched, 0);
		done(&watch);
	}
}

WATCHED static void execute(void)
{
	execl("/bin/sh", "sh", "-c", ":", (char *)NULL);
	KEEP;
}

/* The program that the call was in is gone. */
static void test_an_exec_leaves_its_callers(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	int status;
	pid_t child;

	(void)state;
	watch.options.filter.follow = true;
	add(&watch, TARGET(execute));
	begin(&watch);
	child = fork();
	if (child == 0) {
		execute();
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	end(&watch);
	assert_int_equal(status, 0);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, 1);
	assert_int_equal(counts.exits, 0);
	assert_int_equal(counts.abandoned, 0);
	assert_int_equal(counts.inside, 0);
	assert_int_equal(counts.died, 1);
	done(&watch);
}

/* One of many that cannot be probed is found, and does no harm to the others. */
static void test_a_bad_place_among_good_ones(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_target bad = TARGET(leaf);

	(void)state;
	bad.offset = 1ULL << 40;
	add(&watch, TARGET(leaf));
	add(&watch, bad);
	add(&watch, TARGET(recurse));
	begin(&watch);
	leaf(1);
	recurse(2);
	end(&watch);
	assert_int_equal(probes_outcome(watch.probes, 1)->mechanism, PROBE_NONE);
	assert_int_not_equal(probes_outcome(watch.probes, 1)->why[0], 0);
	assert_int_equal(counts_of(&watch, 0).exits, 1);
	assert_int_equal(counts_of(&watch, 2).exits, 3);
	done(&watch);
}

static void test_no_place_at_all(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_target bad = TARGET(leaf);
	struct err err;
	int rc;

	(void)state;
	bad.path = "/nonexistent";
	add(&watch, bad);
	watch.options.targets = watch.targets;
	rc = probes_new(&watch.options, &watch.probes, &err);
	if (rc < 0)
		skip();
	assert_int_equal(probes_attach(watch.probes, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot be watched"));
	done(&watch);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
	struct watch watch = watch_of(0);
	struct err err;

	(void)state;
	assert_int_equal(probes_new(&watch.options, &watch.probes, &err), -EINVAL);
	add(&watch, TARGET(leaf));
	watch.options.targets = watch.targets;
	watch.options.filter.condition = "arg1 >";
	assert_int_equal(probes_new(&watch.options, &watch.probes, &err), -EINVAL);
	assert_non_null(strstr(err.text, "number"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_call_is_counted),
		cmocka_unit_test(test_entries_alone),
		cmocka_unit_test(test_nothing_is_counted_outside_the_window),
		cmocka_unit_test(test_hits_while_detaching_cost_nothing),
		cmocka_unit_test(test_recursion_is_in_the_time_once),
		cmocka_unit_test(test_what_is_too_deep),
		cmocka_unit_test(test_tail_calls),
		cmocka_unit_test(test_sleep_is_wall_and_not_virtual),
		cmocka_unit_test(test_virtual_time_is_time_on_a_cpu),
		cmocka_unit_test(test_jumps_out_are_no_exits),
		cmocka_unit_test(test_jumps_to_higher_in_the_stack),
		cmocka_unit_test(test_jumps_to_a_caller_that_returns),
		cmocka_unit_test(test_threads_that_die_inside),
		cmocka_unit_test(test_threads_that_migrate),
		cmocka_unit_test(test_rows_by_thread),
		cmocka_unit_test(test_a_full_table_of_keys),
		cmocka_unit_test(test_calls_that_are_inside),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_conditions_on_what_is_returned),
		cmocka_unit_test(test_nested_calls_with_what_they_return),
		cmocka_unit_test(test_what_is_too_deep_to_return),
		cmocka_unit_test(test_migrations_with_what_is_returned),
		cmocka_unit_test(test_times_of_what_returns_so),
		cmocka_unit_test(test_values_and_errors),
		cmocka_unit_test(test_errors_of_types),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_children_are_followed_where_wanted),
		cmocka_unit_test(test_other_processes_count_for_nothing),
		cmocka_unit_test(test_who_gets_the_number_of_one_that_ended_is_another),
		cmocka_unit_test(test_an_exec_leaves_its_callers),
		cmocka_unit_test(test_a_bad_place_among_good_ones),
		cmocka_unit_test(test_no_place_at_all),
		cmocka_unit_test(test_what_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
