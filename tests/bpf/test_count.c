/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters split between those who run, in a kernel whose counters and scheduler are this test: it
 * knows for whom each was moved on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel.h"

#include "bpf/count.bpf.c"

enum {
	THREADS = 12,
	PROGRAMS = 3,
	WORK,	  /* the events, from here on: what a thread does */
	SWITCHES, /* and what the kernel counts after the tracepoint */
	EVENTS = 2,
	MARKED_EVENT = 1, /* that of SWITCHES */
	STATE_SLEEPS = 1,
};

static const char *const programs[PROGRAMS] = { "/bin/one", "/bin/two", "/usr/bin/three" };

struct thread {
	struct task_struct task;
	struct kernel_task known;
	int program; /* -1: not born, or gone */
	bool sleeps;
};

static struct {
	struct thread idle[KERNEL_CPUS], threads[THREADS], *on_cpu[KERNEL_CPUS];
	uint64_t work[PROGRAMS + 1], switches[PROGRAMS + 1]; /* the last: of no program */
	uint64_t thread_work[THREADS];
} world;

static void thread_init(struct thread *thread, uint32_t pid, uint32_t tid)
{
	*thread = (struct thread){ .task = { .pid = (int)tid, .tgid = (int)pid, .comm = "name" },
				   .known = { .pid = pid, .tid = tid, .comm = "name" },
				   .program = -1 };
	thread->known.task = &thread->task;
}

static void add_row(uint64_t program)
{
	const struct count_row_key key = { .program = program };
	static const struct count_row_value empty;

	assert_int_equal(bpf_map_update_elem(&rows, &key, &empty, BPF_NOEXIST), 0);
}

static int begin(void **state)
{
	(void)state;
	kernel_begin();
	KERNEL_STORAGE(tasks);
	KERNEL_OUTPUT(counters);
	KERNEL_TABLE(lasts);
	KERNEL_TABLE(owners);
	KERNEL_TABLE_ON_DEMAND(rows);
	KERNEL_TABLE_ON_DEMAND(starting);
	KERNEL_TABLE(nothing);
	KERNEL_TABLE(paths);
	KERNEL_SET(events, EVENTS);
	KERNEL_SET(cpus, KERNEL_CPUS);
	KERNEL_SET(by, COUNT_BY_PROGRAM);
	KERNEL_SET(everybody, 1);
	KERNEL_SET(late_events, 1 << MARKED_EVENT);
	counting = 0;
	full = 0;
	kernel.event_count = (size_t)EVENTS * KERNEL_CPUS;
	memset(&world, 0, sizeof(world));
	for (uint32_t i = 0; i < KERNEL_CPUS; i++) {
		thread_init(&world.idle[i], 0, 0);
		world.on_cpu[i] = &world.idle[i];
	}
	for (uint32_t i = 0; i < THREADS; i++)
		thread_init(&world.threads[i], 100 + i / 2, 100 + i);
	return 0;
}

static int end(void **state)
{
	(void)state;
	kernel_end();
	return 0;
}

/* ---- what happens ---- */

static void on(uint32_t cpu)
{
	kernel.cpu = cpu;
	kernel.current = &world.on_cpu[cpu]->known;
}

static struct bpf_perf_event_value *counter_of(uint32_t event, uint32_t cpu)
{
	return &kernel.events[event * KERNEL_CPUS + cpu];
}

static size_t owner_of(const struct thread *thread)
{
	return thread->program < 0 ? PROGRAMS : (size_t)thread->program;
}

static void work(uint32_t cpu, uint64_t amount)
{
	struct thread *thread = world.on_cpu[cpu];

	counter_of(0, cpu)->counter += amount;
	for (uint32_t i = 0; i < EVENTS; i++) {
		counter_of(i, cpu)->enabled += amount;
		counter_of(i, cpu)->running += amount;
	}
	world.work[owner_of(thread)] += amount;
	if (thread >= world.threads && thread < world.threads + THREADS)
		world.thread_work[thread - world.threads] += amount;
}

/* The kernel counts the switch after the tracepoint; that of a thread that has ended is counted
 * when its own counters are gone. */
static void switch_to(uint32_t cpu, struct thread *next, uint32_t task_state)
{
	struct thread *previous = world.on_cpu[cpu];
	__u64 arguments[] = { 0, (uintptr_t)&previous->task, (uintptr_t)&next->task };

	on(cpu);
	previous->task.__state = task_state;
	KERNEL_RUN(count_switch(arguments));
	counter_of(MARKED_EVENT, cpu)->counter++;
	if (!(task_state & TASK_DEAD))
		world.switches[owner_of(previous)]++;
	previous->sleeps = task_state == STATE_SLEEPS;
	next->task.__state = 0;
	world.on_cpu[cpu] = next;
	on(cpu);
}

static void fork_by(uint32_t cpu, struct thread *child)
{
	__u64 arguments[] = { (uintptr_t)&world.on_cpu[cpu]->task, (uintptr_t)&child->task };

	on(cpu);
	child->program = world.on_cpu[cpu]->program;
	child->sleeps = false;
	KERNEL_RUN(count_fork(arguments));
}

static void exec(uint32_t cpu, int program)
{
	struct linux_binprm image = { .filename = programs[program] };
	__u64 arguments[] = { (uintptr_t)&world.on_cpu[cpu]->task, 0, (uintptr_t)&image };

	on(cpu);
	KERNEL_RUN(count_exec(arguments));
	world.on_cpu[cpu]->program = program;
}

static void exit_on(uint32_t cpu, struct thread *next)
{
	struct thread *gone = world.on_cpu[cpu];
	__u64 arguments[] = { (uintptr_t)&gone->task };

	on(cpu);
	KERNEL_RUN(count_exit(arguments));
	work(cpu, 3); /* on its way out */
	switch_to(cpu, next, TASK_DEAD);
	kernel_task_free(&gone->task);
	gone->program = -1;
}

/* Processes that are there before, of the first program. */
static void start(size_t count, bool counts)
{
	struct bpf_iter__task context = { .meta = NULL };

	for (size_t i = 0; i < count; i++) {
		struct count_program program = { .program = hash_path(programs[0]),
						 .counts = counts };
		__u32 pid = world.threads[i].known.pid;

		strcpy(program.path, programs[0]);
		bpf_map_update_elem(&starting, &pid, &program, BPF_ANY);
		context.task = &world.threads[i].task;
		KERNEL_RUN(count_begin(&context));
		world.threads[i].program = counts ? 0 : -1;
	}
	context.task = NULL;
	KERNEL_RUN(count_begin(&context));
}

static void flush(void)
{
	for (uint32_t i = 0; i < KERNEL_CPUS; i++) {
		on(i);
		KERNEL_RUN(count_flush(NULL));
	}
}

static void open_window(void)
{
	add_row(COUNT_IDLE);
	add_row(COUNT_REST);
	flush();
	counting = 1;
}

/* ---- what the program reports ---- */

static const struct count_row_value *find_row(uint64_t program, uint32_t pid, uint32_t tid)
{
	struct count_row_key key = { .program = program, .pid = pid, .tid = tid };

	return bpf_map_lookup_elem(&rows, &key);
}

static uint64_t reported_for(uint64_t program, uint32_t event)
{
	const struct count_row_value *row = find_row(program, 0, 0);

	return row ? row->sums[event].count : 0;
}

static uint64_t reported_for_others(uint32_t event)
{
	return reported_for(COUNT_IDLE, event) + reported_for(COUNT_REST, event);
}

static uint32_t chance(uint32_t below)
{
	static uint32_t bits = 1;

	bits = bits * 1664525 + 1013904223;
	return (bits >> 16) % below;
}

static bool is_on_cpu(const struct thread *thread)
{
	for (uint32_t i = 0; i < KERNEL_CPUS; i++) {
		if (world.on_cpu[i] == thread)
			return true;
	}
	return false;
}

static struct thread *find_ready(uint32_t cpu)
{
	size_t first = chance(THREADS);

	for (size_t i = 0; i < THREADS; i++) {
		struct thread *thread = &world.threads[(first + i) % THREADS];

		if (thread->program >= 0 && !thread->sleeps && !is_on_cpu(thread))
			return thread;
	}
	return &world.idle[cpu];
}

static void happen_on(uint32_t cpu)
{
	struct thread *here = world.on_cpu[cpu], *any = &world.threads[chance(THREADS)];
	bool idle = here == &world.idle[cpu];

	any->sleeps = false;
	work(cpu, chance(1000));
	if (idle || chance(2))
		switch_to(cpu, find_ready(cpu), idle || chance(2) ? 0 : STATE_SLEEPS);
	else if (any->program < 0)
		fork_by(cpu, any);
	else if (chance(4) == 0)
		exec(cpu, (int)chance(PROGRAMS));
	else if (chance(8) == 0 && here != &world.threads[0])
		exit_on(cpu, find_ready(cpu));
}

/* ---- tests ---- */

/* Threads that come from CPU to CPU, are born, execute and end, by chance: each program's row has
 * what was counted while its threads ran, to the last one. */
static void test_rows_are_what_was_counted_for_each_program(void **state)
{
	(void)state;
	start(1, true);
	open_window();
	switch_to(0, &world.threads[0], 0);
	for (size_t i = 0; i < 20000; i++)
		happen_on(chance(KERNEL_CPUS));
	flush();
	for (size_t i = 0; i < PROGRAMS; i++) {
		assert_true(world.work[i] > 0 && world.switches[i] > 100);
		assert_int_equal(reported_for(hash_path(programs[i]), 0), world.work[i]);
		assert_int_equal(reported_for(hash_path(programs[i]), MARKED_EVENT),
				 world.switches[i]);
	}
	assert_int_equal(reported_for_others(0), world.work[PROGRAMS]);
	assert_int_equal(full, 0);
}

static void test_a_thread_has_its_own_row(void **state)
{
	struct thread *first = &world.threads[0], *second = &world.threads[1];
	const struct count_row_value *row;

	(void)state;
	KERNEL_SET(by, COUNT_BY_PROGRAM | COUNT_BY_THREAD);
	start(2, true);
	open_window();
	switch_to(0, first, 0);
	work(0, 10);
	switch_to(1, second, 0);
	work(1, 500);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	strcpy(first->task.comm, "renamed");
	switch_to(2, first, 0);
	work(2, 7);
	switch_to(2, &world.idle[2], STATE_SLEEPS);
	switch_to(1, &world.idle[1], STATE_SLEEPS);
	row = find_row(hash_path(programs[0]), 100, 100);
	assert_non_null(row);
	assert_int_equal(row->sums[0].count, 17);
	assert_int_equal(row->sums[MARKED_EVENT].count, 2);
	assert_int_equal(row->sums[0].enabled_ns, 17);
	assert_string_equal(row->comm, "renamed");
	row = find_row(hash_path(programs[0]), 100, 101);
	assert_non_null(row);
	assert_int_equal(row->sums[0].count, 500);
	assert_string_equal(row->path, programs[0]);
}

static void test_executions_are_counted(void **state)
{
	const struct count_row_value *row;

	(void)state;
	start(1, true);
	open_window();
	switch_to(0, &world.threads[0], 0);
	for (int i = 0; i < 3; i++) {
		work(0, 100);
		exec(0, 1);
		work(0, 1);
	}
	exec(0, 2);
	row = find_row(hash_path(programs[1]), 0, 0);
	assert_non_null(row);
	assert_int_equal(row->runs, 3);
	assert_string_equal(row->path, programs[1]);
	assert_int_equal(row->sums[0].count, 203); /* all but the first 100 */
	assert_int_equal(reported_for(hash_path(programs[0]), 0), 100);
	assert_int_equal(find_row(hash_path(programs[2]), 0, 0)->runs, 1);
}

/* Before its parent can know that it has ended. */
static void test_what_a_thread_counted_is_there_when_it_ends(void **state)
{
	__u64 arguments[] = { (uintptr_t)&world.threads[0].task };

	(void)state;
	start(1, true);
	open_window();
	switch_to(0, &world.threads[0], 0);
	work(0, 12);
	KERNEL_RUN(count_exit(arguments));
	assert_int_equal(reported_for(hash_path(programs[0]), 0), 12);
}

static void test_a_child_has_the_name_of_its_parents_program(void **state)
{
	const struct count_row_value *row;

	(void)state;
	KERNEL_SET(by, COUNT_BY_PROGRAM | COUNT_BY_PROCESS);
	start(1, true);
	open_window();
	switch_to(0, &world.threads[0], 0);
	fork_by(0, &world.threads[2]);
	row = find_row(hash_path(programs[0]), 101, 0);
	assert_non_null(row);
	assert_string_equal(row->path, programs[0]);
	assert_string_equal(row->comm, "name");
}

/* A command is started by us: it counts from its exec on. */
static void test_a_process_may_count_from_its_exec_on(void **state)
{
	(void)state;
	KERNEL_SET(everybody, 0);
	start(1, false);
	open_window();
	switch_to(0, &world.threads[0], 0);
	work(0, 100);
	fork_by(0, &world.threads[4]); /* does not count either */
	switch_to(0, &world.threads[4], 0);
	work(0, 50);
	switch_to(0, &world.threads[0], STATE_SLEEPS);
	exec(0, 1);
	work(0, 30);
	fork_by(0, &world.threads[2]);
	switch_to(0, &world.threads[2], STATE_SLEEPS);
	work(0, 4);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	work(0, 1000); /* of no program, and the idle row is not wanted */
	switch_to(0, &world.threads[2], 0);
	work(0, 5);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	flush();
	assert_int_equal(reported_for(hash_path(programs[1]), 0), 39);
	assert_null(find_row(hash_path(programs[0]), 0, 0));
	assert_int_equal(reported_for_others(0), 0);
}

/* Some kernels hide switches: what was counted then belongs to the rest, not to the thread last
 * seen. */
static void test_what_is_counted_around_a_hidden_switch_is_the_rests(void **state)
{
	(void)state;
	start(4, true);
	open_window();
	switch_to(0, &world.threads[0], 0);
	work(0, 5);
	world.on_cpu[0] = &world.threads[2]; /* unseen */
	work(0, 70);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	assert_int_equal(reported_for(hash_path(programs[0]), 0), 0);
	assert_int_equal(reported_for(COUNT_REST, 0), 75);
}

/* ---- what there is no room for ---- */

static void test_a_full_table_gives_to_the_rest(void **state)
{
	uint64_t sum = 0, counted = 0;

	(void)state;
	kernel_map_resize(&rows, 3); /* two are for idle time and the rest */
	start(1, true);
	open_window();
	switch_to(0, &world.threads[0], 0);
	work(0, 100);
	exec(0, 1);
	work(0, 20);
	exec(0, 2);
	work(0, 3);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	assert_int_equal(full, 2);
	assert_int_equal(reported_for(hash_path(programs[0]), 0), 100);
	assert_int_equal(reported_for(COUNT_REST, 0), 23);
	for (size_t i = 0; i <= PROGRAMS; i++)
		sum += world.work[i];
	counted = reported_for_others(0) + reported_for(hash_path(programs[0]), 0);
	assert_int_equal(counted, sum);
}

static void test_a_row_without_memory_gives_to_the_rest(void **state)
{
	(void)state;
	start(1, true);
	open_window();
	switch_to(0, &world.threads[0], 0);
	kernel.elements_left = 0;
	exec(0, 1);
	work(0, 20);
	fork_by(0, &world.threads[2]);
	switch_to(0, &world.threads[2], 0);
	work(0, 3);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	assert_int_equal(full, 2);
	assert_int_equal(reported_for(COUNT_REST, 0), 23);
}

/* Of one that was there before, too; where only one program is counted, its part is missing. */
static void test_a_thread_that_cannot_be_remembered_is_counted(void **state)
{
	(void)state;
	KERNEL_SET(everybody, 0);
	start(1, true);
	kernel.elements_left = 0;
	start(2, true);
	assert_int_equal(full, 1);
	kernel.elements_left = SIZE_MAX;
	open_window();
	switch_to(0, &world.threads[0], 0);
	kernel.elements_left = 0;
	fork_by(0, &world.threads[2]);
	assert_int_equal(full, 2);
	switch_to(0, &world.threads[2], 0);
	work(0, 3);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	assert_int_equal(reported_for(hash_path(programs[0]), 0), 0);
	assert_int_equal(reported_for_others(0), 0);
}

/* An event that this CPU has not: the others are split as ever. */
static void test_a_counter_that_is_not_open_is_passed_over(void **state)
{
	(void)state;
	kernel.event_count = KERNEL_CPUS; /* those of the first event */
	start(1, true);
	open_window();
	switch_to(3, &world.threads[0], 0);
	work(3, 100);
	switch_to(3, &world.idle[3], STATE_SLEEPS);
	assert_int_equal(reported_for(hash_path(programs[0]), 0), 100);
	assert_int_equal(reported_for(hash_path(programs[0]), MARKED_EVENT), 0);
}

static void test_nothing_is_counted_before_the_window(void **state)
{
	(void)state;
	start(1, true);
	switch_to(0, &world.threads[0], 0);
	work(0, 1000);
	open_window();
	work(0, 8);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	assert_int_equal(reported_for(hash_path(programs[0]), 0), 8);
	assert_int_equal(reported_for_others(0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows_are_what_was_counted_for_each_program),
		TEST(test_a_thread_has_its_own_row),
		TEST(test_executions_are_counted),
		TEST(test_what_a_thread_counted_is_there_when_it_ends),
		TEST(test_a_child_has_the_name_of_its_parents_program),
		TEST(test_a_process_may_count_from_its_exec_on),
		TEST(test_what_is_counted_around_a_hidden_switch_is_the_rests),
		TEST(test_a_full_table_gives_to_the_rest),
		TEST(test_a_row_without_memory_gives_to_the_rest),
		TEST(test_a_thread_that_cannot_be_remembered_is_counted),
		TEST(test_a_counter_that_is_not_open_is_passed_over),
		TEST(test_nothing_is_counted_before_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
