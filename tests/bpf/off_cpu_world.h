/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scheduler that is the test: it knows what each thread's time went into, and by what it was woken.
 * Include it in one file of a program.
 */
#ifndef TESTS_BPF_OFF_CPU_WORLD_H
#define TESTS_BPF_OFF_CPU_WORLD_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel.h"

#include "bpf/off_cpu.bpf.c"

enum {
	US = 1000,
	MS = 1000 * US,
	THREADS = 12,
	STATE_SLEEPS = 1, /* TASK_INTERRUPTIBLE */
	STATE_TRACED = 8,
	ENTRY_IP = 0x401000,
	WINDOW_NS = 100 * MS,
};

struct thread {
	struct task_struct task;
	struct kernel_task known;
	struct pt_regs___kernel registers;
	enum off_cpu_state state; /* 0: not born, or gone */
	uint64_t since_ns;
	struct off_cpu_times times; /* since it was born or executed, within the window */
};

static struct {
	struct thread idle[KERNEL_CPUS], threads[THREADS], *on_cpu[KERNEL_CPUS];
	struct mm_struct memory;
} world;

/* ---- the scheduler ---- */

static void thread_init(struct thread *thread, uint32_t pid, uint32_t tid)
{
	*thread = (struct thread){ .task = { .pid = (int)tid, .tgid = (int)pid },
				   .known = { .pid = pid, .tid = tid } };
	thread->known.task = &thread->task;
	thread->registers.PROGRAM_COUNTER = ENTRY_IP;
	if (tid)
		thread->task.mm = &world.memory;
}

static void add_maps(void)
{
	KERNEL_STORAGE(threads);
	KERNEL_TABLE(chosen);
	KERNEL_TABLE(cpus);
	KERNEL_TABLE(closing);
	KERNEL_TABLE(spaces);
	KERNEL_TABLE(scratches);
	KERNEL_OUTPUT(outputs);
	kernel_map_resize(&scratches, KERNEL_CPUS);
}

static int begin(void **state)
{
	(void)state;
	kernel_begin();
	add_maps();
	memset(&world, 0, sizeof(world));
	opened_ns = closed_ns = 0;
	only_chosen = any_chosen = 0;
	for (uint32_t i = 0; i < KERNEL_CPUS; i++) {
		thread_init(&world.idle[i], 0, 0);
		world.on_cpu[i] = &world.idle[i];
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		thread_init(&world.threads[i], 100 + i / 4, 100 + i);
		kernel_registers_add(&world.threads[i].task, &world.threads[i].registers);
	}
	kernel.kernel_stack = kernel.task_stack = (struct kernel_stack){ { 1, 2, 3 }, 3, 0 };
	kernel.user_stack = (struct kernel_stack){ { ENTRY_IP, 5 }, 2, 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	kernel_end();
	return 0;
}

static void on(uint32_t cpu)
{
	kernel.cpu = cpu;
	kernel.current = &world.on_cpu[cpu]->known;
}

/* Gives what passed since the last change to what the thread did. */
static void become(struct thread *thread, enum off_cpu_state state)
{
	uint64_t from_ns = thread->since_ns > opened_ns ? thread->since_ns : opened_ns;
	uint64_t passed_ns = opened_ns && kernel.now_ns > from_ns ? kernel.now_ns - from_ns : 0;

	if (thread->state == OFF_CPU_RUNNING)
		thread->times.running_ns += passed_ns;
	else if (thread->state == OFF_CPU_RUNNABLE)
		thread->times.runnable_ns += passed_ns;
	else if (thread->state == OFF_CPU_BLOCKED)
		thread->times.blocked_ns += passed_ns;
	if (thread->state == OFF_CPU_BLOCKED && thread->task.in_iowait)
		thread->times.io_ns += passed_ns;
	thread->state = state;
	thread->since_ns = kernel.now_ns;
}

/* @state: of the thread that leaves; 0: it is preempted. */
static void switch_by(int (*program)(__u64 *), uint32_t cpu, struct thread *next, uint32_t state)
{
	struct thread *previous = world.on_cpu[cpu];
	__u64 arguments[] = { state == TASK_RUNNING, (uintptr_t)&previous->task,
			      (uintptr_t)&next->task };

	on(cpu);
	previous->task.__state = state;
	KERNEL_RUN(program(arguments));
	if (state & TASK_DEAD)
		kernel_task_free(&previous->task);
	if (!(state & TASK_DEAD))
		previous->times.waits++;
	become(previous, state & TASK_DEAD ? 0 : state ? OFF_CPU_BLOCKED : OFF_CPU_RUNNABLE);
	become(next, OFF_CPU_RUNNING);
	next->task.__state = TASK_RUNNING;
	world.on_cpu[cpu] = next;
	on(cpu);
}

static void switch_to(uint32_t cpu, struct thread *next, uint32_t state)
{
	switch_by(off_cpu_switch_fp, cpu, next, state);
}

static void wake(uint32_t cpu, struct thread *thread)
{
	__u64 arguments[] = { (uintptr_t)&thread->task };

	on(cpu);
	KERNEL_RUN(off_cpu_waking(arguments));
	become(thread, OFF_CPU_RUNNABLE);
	thread->task.__state = TASK_RUNNING;
	thread->task.in_iowait = 0;
}

static void fork_by(uint32_t cpu, struct thread *child)
{
	__u64 arguments[] = { (uintptr_t)&world.on_cpu[cpu]->task, (uintptr_t)&child->task };

	on(cpu);
	child->task.__state = TASK_NEW;
	KERNEL_RUN(off_cpu_fork(arguments));
	child->state = OFF_CPU_RUNNABLE;
	child->since_ns = kernel.now_ns;
	child->times = (struct off_cpu_times){ 0 };
	child->task.__state = TASK_RUNNING;
}

static void exec(uint32_t cpu)
{
	__u64 arguments[] = { (uintptr_t)&world.on_cpu[cpu]->task };

	on(cpu);
	KERNEL_RUN(off_cpu_exec(arguments));
}

static void after(uint64_t ns)
{
	kernel.now_ns += ns;
}

/* ---- the window ---- */

static void iterate(int (*program)(struct bpf_iter__task *))
{
	struct bpf_iter_meta meta = { .seq = NULL };
	struct bpf_iter__task context = { .meta = &meta };

	for (size_t i = 0; i < KERNEL_CPUS + THREADS; i++) {
		context.task = i < KERNEL_CPUS ? &world.idle[i].task
					       : &world.threads[i - KERNEL_CPUS].task;
		if (i < KERNEL_CPUS || world.threads[i - KERNEL_CPUS].state)
			KERNEL_RUN(program(&context));
	}
	context.task = NULL;
	KERNEL_RUN(program(&context));
}

static void open_window(void)
{
	iterate(off_cpu_open);
	opened_ns = kernel.now_ns;
}

static void close_window(void)
{
	closed_ns = kernel.now_ns;
	for (size_t i = 0; i < THREADS; i++) {
		if (world.threads[i].state)
			become(&world.threads[i], world.threads[i].state);
	}
	iterate(off_cpu_close);
}

/* ---- what the program reports ---- */

/* The number-th record of the kind; NULL: there are fewer. */
static const void *find_record(uint32_t kind, size_t number)
{
	for (size_t i = 0; i < kernel.record_count; i++) {
		const struct kernel_record *record = &kernel.records[i];
		uint32_t word;

		assert_true(record->size >= sizeof(word));
		memcpy(&word, record->data, sizeof(word));
		if (word == kind && number-- == 0)
			return record->data;
	}
	return NULL;
}

static size_t count_records(uint32_t kind)
{
	size_t count = 0;

	while (find_record(kind, count))
		count++;
	return count;
}

static const struct off_cpu_wait_record *wait_number(size_t number)
{
	const struct off_cpu_wait_record *record = find_record(OFF_CPU_WAIT, number);

	assert_non_null(record);
	return record;
}

static struct off_cpu_counts counts_of(uint32_t cpu)
{
	__u32 zero = 0;
	const struct off_cpu_cpu *found;

	kernel.cpu = cpu;
	found = bpf_map_lookup_elem(&cpus, &zero);
	assert_non_null(found);
	return found->counts;
}

/* A thread on CPU 0 and its waker on CPU 1, in a window. */
static void begin_pair(struct thread **ret_thread, struct thread **ret_waker)
{
	*ret_thread = &world.threads[0];
	*ret_waker = &world.threads[4];
	open_window();
	fork_by(2, *ret_thread);
	fork_by(2, *ret_waker);
	switch_to(0, *ret_thread, TASK_RUNNING);
	switch_to(1, *ret_waker, TASK_RUNNING);
	kernel_records_clear();
	after(MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
