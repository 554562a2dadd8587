/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scheduler that is the test: it knows when a command waits, and for what. Include it in one file of a
 * program. */
#ifndef TESTS_BPF_COMMAND_WAIT_WORLD_H
#define TESTS_BPF_COMMAND_WAIT_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel.h"

#include "bpf/command_wait.bpf.c"

enum {
	US = 1000,
	MS = 1000 * US,
	THREADS = 8,
	COMMAND = 100,
	SLEEPS = TASK_INTERRUPTIBLE,
	UNINTERRUPTIBLE = 2,
	OPEN_FILES = 8,
	USER_MEMORY = 0x7000,
};

struct thread {
	struct task_struct task;
	struct kernel_task known;
	struct pt_regs___kernel registers;
	bool alive, active;
	__u32 reason; /* of its wait, as the test has set it */
};

static struct {
	struct thread idle, stranger, threads[THREADS];
	struct file *open[OPEN_FILES];
	struct fdtable table;
	struct files_struct files;
} world;

static void thread_init(struct thread *thread, int pid, int tid)
{
	*thread = (struct thread){ .task = { .pid = tid, .tgid = pid, .files = &world.files } };
	kernel_registers_add(&thread->task, &thread->registers);
}

static int begin(void **state)
{
	(void)state;
	kernel_begin();
	KERNEL_STORAGE(command_threads);
	KERNEL_TABLE(command_chosen);
	memset(&world, 0, sizeof(world));
	memset(&totals, 0, sizeof(totals));
	opened_ns = closed_ns = opens_at_exec = 0;
	asked = asked_since_ns = 0;
	command_wait_active = COMMAND_WAIT_IDLE | COMMAND_WAIT_BEFORE_NS;
	world.table = (struct fdtable){ OPEN_FILES, world.open };
	world.files.fdt = &world.table;
	kernel_memory_add((uintptr_t)world.open, world.open, sizeof(world.open));
	thread_init(&world.idle, 0, 0);
	thread_init(&world.stranger, 99, 99);
	for (int i = 0; i < THREADS; i++)
		thread_init(&world.threads[i], COMMAND + i / 4 * 4, COMMAND + i);
	return 0;
}

static int end(void **state)
{
	(void)state;
	kernel_end();
	return 0;
}

/* ---- the scheduler ---- */

static void after(uint64_t ns)
{
	kernel.now_ns += ns;
}

static void switch_tasks(struct thread *from, struct thread *to, bool preempted)
{
	__u64 arguments[] = { preempted, (uintptr_t)&from->task, (uintptr_t)&to->task };

	KERNEL_RUN(command_wait_switch(arguments));
}

static void leave_in(struct thread *thread, uint32_t state)
{
	thread->task.__state = state;
	switch_tasks(thread, &world.idle, false);
	thread->active = state == TASK_RUNNING;
}

static void in_call(struct thread *thread, uint64_t number)
{
	thread->registers = (struct pt_regs___kernel){ .orig_ax = number };
}

/* Waits in the call. */
static void block(struct thread *thread, uint64_t number)
{
	in_call(thread, number);
	leave_in(thread, SLEEPS);
}

static void wake(struct thread *thread)
{
	__u64 arguments[] = { (uintptr_t)&thread->task };

	KERNEL_RUN(command_wait_waking(arguments));
	thread->task.__state = TASK_RUNNING;
	thread->task.in_iowait = 0;
	thread->active = true;
}

static void start(struct thread *parent, struct thread *child)
{
	__u64 arguments[] = { (uintptr_t)&parent->task, (uintptr_t)&child->task };

	child->task.__state = TASK_NEW;
	KERNEL_RUN(command_wait_fork(arguments));
	child->task.__state = TASK_RUNNING;
	child->alive = child->active = true;
}

static void die(struct thread *thread)
{
	leave_in(thread, TASK_DEAD);
	kernel_task_free(&thread->task);
	thread->alive = thread->active = false;
}

/* ---- the window ---- */

static void iterate(int (*program)(struct bpf_iter__task *))
{
	struct bpf_iter_meta meta = { .seq = NULL };
	struct bpf_iter__task context = { .meta = &meta };

	context.task = &world.stranger.task;
	KERNEL_RUN(program(&context));
	for (int i = 0; i < THREADS; i++) {
		context.task = &world.threads[i].task;
		if (world.threads[i].alive)
			KERNEL_RUN(program(&context));
	}
	context.task = NULL;
	KERNEL_RUN(program(&context));
}

/* @process: a thread of it; its process is the command. */
static void choose(const struct thread *process)
{
	__u32 pid = (__u32)process->task.tgid, one = CHOSEN_PROCESS;

	assert_int_equal(bpf_map_update_elem(&command_chosen, &pid, &one, BPF_ANY), 0);
}

static void open_window(void)
{
	iterate(command_wait_open);
	opened_ns = kernel.now_ns;
}

static void close_window(void)
{
	closed_ns = kernel.now_ns;
	iterate(command_wait_close);
}

/* One thread, which runs in an open window. */
static struct thread *one_thread(void)
{
	struct thread *thread = &world.threads[0];

	thread->alive = thread->active = true;
	choose(thread);
	open_window();
	assert_int_equal(totals.chosen, 1);
	return thread;
}

static uint64_t idle_ns(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < COMMAND_WAIT_ROOM; i++)
		sum += totals.idle_ns[i];
	return sum;
}

#endif
