/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of functions, in threads whose stacks, jumps and switches are the test's: it knows what each
 * call was, and how long it took. Include it in one file of a program.
 */
#ifndef TESTS_BPF_PROBES_WORLD_H
#define TESTS_BPF_PROBES_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel.h"

#include "bpf/probes.bpf.c"

enum { F, G, H, TARGETS };

enum {
	US = 1000,
	MS = 1000 * US,
	THREADS = 4,
	PROCESS = 100,
	ROWS = 8,
	STACK_SIZE = 64 * 1024,
	FRAME_BYTES = 32, /* of a function, beside its return address */
	CODE_SIZE = 1 << 20,
	CODE_INODE = 42,
	CODE_DEVICE = 7,
	CODE_OFFSET = 0x3000, /* where it is in its file */
	STATE_DEAD = 0x80,
};

#define STACKS_AT      0x7f0000000000ULL
#define STACK_DISTANCE 0x1000000ULL
#define CODE_AT	       0x400000ULL
#define MAIN_CODE      (CODE_AT + 0x100) /* where F and the others are called from */

struct thread {
	struct task_struct task;
	struct kernel_task known;
	struct pt_regs___kernel way_out;
	struct vm_area_struct mapping;
	unsigned char stack[STACK_SIZE];
	uint64_t stack_at, sp;
	uint64_t cpu_ns, since_ns; /* on CPUs before, and on this one since; 0: on none */
};

static struct {
	struct thread threads[THREADS], idle[KERNEL_CPUS], *on_cpu[KERNEL_CPUS];
	struct mm_struct memory;
	struct signal_struct signals;
	struct super_block device;
	struct inode inode;
	struct dentry name;
	struct file file;
	struct vm_area_struct code;
	uint64_t extra[TARGETS]; /* of the cookies */
} world;

/* ---- the machine ---- */

static void thread_init(struct thread *thread, uint32_t tid)
{
	size_t number = tid - PROCESS;

	thread->task = (struct task_struct){ .pid = (int)tid,
					     .tgid = tid ? PROCESS : 0,
					     .signal = &world.signals,
					     .mm = &world.memory };
	thread->known = (struct kernel_task){
		.task = &thread->task, .pid = tid ? PROCESS : 0, .tid = tid, .comm = "name"
	};
	kernel_registers_add(&thread->task, &thread->way_out);
	if (!tid)
		return;
	thread->stack_at = STACKS_AT + number * STACK_DISTANCE;
	thread->sp = thread->stack_at + STACK_SIZE - 1024;
	thread->task.thread.fsbase = thread->stack_at + STACK_SIZE - 512;
	thread->mapping = (struct vm_area_struct){ .vm_start = thread->stack_at,
						   .vm_end = thread->stack_at + STACK_SIZE };
	kernel_mapping_add(&thread->mapping, thread->stack_at, thread->stack_at + STACK_SIZE);
	kernel_memory_add(thread->stack_at, thread->stack, STACK_SIZE);
}

static void add_code(void)
{
	static const unsigned char name[] = "program";

	world.device.s_dev = CODE_DEVICE;
	world.inode = (struct inode){ .i_ino = CODE_INODE, .i_sb = &world.device };
	world.name.d_name.name = name;
	world.file = (struct file){ .f_inode = &world.inode, .f_path.dentry = &world.name };
	world.code = (struct vm_area_struct){ .vm_start = CODE_AT,
					      .vm_end = CODE_AT + CODE_SIZE,
					      .vm_pgoff = CODE_OFFSET >> PAGE_BITS,
					      .vm_file = &world.file };
	kernel_mapping_add(&world.code, CODE_AT, CODE_AT + CODE_SIZE);
}

static void add_maps(void)
{
	KERNEL_STORAGE(threads);
	KERNEL_TABLE(slots);
	KERNEL_TABLE(latencies);
	KERNEL_TABLE(values);
	KERNEL_TABLE(keys);
	KERNEL_TABLE(row_names);
	KERNEL_TABLE(last_entries);
	KERNEL_TABLE(sites);
	KERNEL_TABLE(wanted_pids);
	KERNEL_TABLE_ON_DEMAND(goroutines);
	KERNEL_OUTPUT(site_events);
	KERNEL_OUTPUT(counter_events);
	kernel_map_resize(&slots, ROWS * KERNEL_CPUS);
	kernel_map_resize(&latencies, ROWS * KERNEL_CPUS);
	kernel_map_resize(&values, ROWS * KERNEL_CPUS);
	kernel_map_resize(&keys, ROWS);
	kernel_map_resize(&row_names, ROWS);
	kernel_map_resize(&last_entries, 64);
	kernel_map_resize(&sites, 64);
	kernel_map_resize(&goroutines, 64);
}

static void set_defaults(void)
{
	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_DO_VIRTUAL | PROBE_DO_LATENCY | PROBE_DO_VALUES);
	KERNEL_SET(row_limit, ROWS);
	KERNEL_SET(cpu_count, KERNEL_CPUS);
	KERNEL_SET(row_key, PROBE_WIRE_TARGET);
	KERNEL_SET(counter_count, 0);
	KERNEL_SET(has_goroutines, 0);
	KERNEL_SET(wanted_comm_count, 0);
	phase = PROBE_OPEN;
	opened_ns = kernel.now_ns;
	rows_given = 0;
	keys_lost = threads_lost = sites_lost = 0;
	wanted_pid = PROBE_NO_PID;
}

static void on(uint32_t cpu)
{
	kernel.cpu = cpu;
	kernel.current = &world.on_cpu[cpu]->known;
}

static void switch_to(uint32_t cpu, struct thread *next)
{
	struct thread *previous = world.on_cpu[cpu];
	__u64 arguments[] = { 0, (uintptr_t)&previous->task, (uintptr_t)&next->task };

	on(cpu);
	KERNEL_RUN(probe_switch(arguments));
	previous->cpu_ns += kernel.now_ns - previous->since_ns;
	previous->since_ns = 0;
	next->since_ns = kernel.now_ns;
	world.on_cpu[cpu] = next;
	on(cpu);
}

/* The first thread runs on CPU 0. */
static int begin(void **state)
{
	(void)state;
	kernel_begin();
	memset(&world, 0, sizeof(world));
	add_maps();
	set_defaults();
	add_code();
	for (uint32_t i = 0; i < KERNEL_CPUS; i++) {
		thread_init(&world.idle[i], 0);
		world.on_cpu[i] = &world.idle[i];
	}
	for (uint32_t i = 0; i < THREADS; i++)
		thread_init(&world.threads[i], PROCESS + i);
	world.memory.start_stack = world.threads[0].stack_at + STACK_SIZE - 256;
	world.signals.live.counter = 1;
	switch_to(0, &world.threads[0]);
	return 0;
}

static int end(void **state)
{
	(void)state;
	kernel_end();
	return 0;
}

static void after(uint64_t ns)
{
	kernel.now_ns += ns;
}

static struct thread *here(void)
{
	return world.on_cpu[kernel.cpu];
}

/* ---- calls of the running thread ---- */

static void store(uint64_t address, uint64_t word)
{
	struct thread *owner = &world.threads[(address - STACKS_AT) / STACK_DISTANCE];

	assert_true(address >= owner->stack_at && address + 8 <= owner->stack_at + STACK_SIZE);
	memcpy(owner->stack + (address - owner->stack_at), &word, sizeof(word));
}

static void set_cookie(uint32_t target, uint64_t more)
{
	kernel.cookie = target | 1ULL << PROBE_COOKIE_USER_SHIFT | world.extra[target] | more;
}

static void returns(uint32_t target, uint32_t kind, uint32_t bytes)
{
	world.extra[target] |= (uint64_t)(kind | bytes << PROBE_COOKIE_BYTES_SHIFT)
			       << PROBE_COOKIE_RETURNS_SHIFT;
}

/* The entry of what lies on the stack now. */
static void enter_here(uint32_t target, uint64_t argument)
{
	struct pt_regs regs = { .rsp = here()->sp, .rdi = argument };

	set_cookie(target, 0);
	KERNEL_RUN(probe_entry_user(&regs));
}

static void call_with(uint32_t target, uint64_t from, uint64_t argument)
{
	here()->sp -= FRAME_BYTES + 8;
	store(here()->sp, from);
	enter_here(target, argument);
}

static void call(uint32_t target)
{
	call_with(target, MAIN_CODE, 0);
}

/* As a return probe sees it: the return address is off the stack. */
static void leave_here(uint32_t target, uint64_t value)
{
	struct pt_regs regs = { .rsp = here()->sp + 8, .rax = value };

	set_cookie(target, 0);
	KERNEL_RUN(probe_exit_user(&regs));
}

static void unwind_frame(void)
{
	here()->sp += FRAME_BYTES + 8;
}

static void come_back_with(uint32_t target, uint64_t value)
{
	leave_here(target, value);
	unwind_frame();
}

static void come_back(uint32_t target)
{
	come_back_with(target, 0);
}

static void call_for(uint32_t target, uint64_t ns)
{
	call(target);
	after(ns);
	come_back(target);
}

/* At a place of @target, with the stack as its frame has it. */
static void at_spot(uint32_t target, uint32_t spot, struct pt_regs regs)
{
	set_cookie(target, (uint64_t)spot << PROBE_COOKIE_SPOT_SHIFT);
	KERNEL_RUN(probe_spot(&regs));
}

static void come_to_return(uint32_t target)
{
	at_spot(target, PROBE_SPOT_RETURN, (struct pt_regs){ .rsp = here()->sp });
	unwind_frame();
}

static void jump_from(uint32_t target)
{
	at_spot(target, PROBE_SPOT_JUMP, (struct pt_regs){ .rsp = here()->sp });
}

/* ---- what was counted ---- */

static struct probe_slot counted(uint32_t row)
{
	struct probe_slot sum = { 0 };
	uint32_t cpu = kernel.cpu;

	for (uint32_t i = 0; i < KERNEL_CPUS; i++) {
		const uint64_t *from = (const uint64_t *)slot_of(row, i);
		uint64_t *to = (uint64_t *)&sum;

		for (size_t j = 0; j < sizeof(sum) / sizeof(*to); j++)
			to[j] += from[j];
	}
	kernel.cpu = cpu;
	return sum;
}

/* What was counted when nothing is open any more: then each call has one end. */
static struct probe_slot settled(uint32_t row)
{
	struct probe_slot slot = counted(row);

	assert_int_equal(slot.open, 0);
	assert_int_equal(slot.running, 0);
	assert_int_equal(slot.entries,
			 slot.exits + slot.abandoned + slot.died + slot.unseen + slot.too_deep);
	return slot;
}

static void assert_calls(uint32_t target, uint64_t calls, uint64_t wall_ns)
{
	struct probe_slot slot = settled(target);

	assert_int_equal(slot.entries, calls);
	assert_int_equal(slot.exits, calls);
	assert_int_equal(slot.wall_ns, wall_ns);
	assert_int_equal(slot.unmatched, 0);
}

/* One of the calls was abandoned, and all have the time. */
static void assert_abandoned(uint32_t target, uint64_t wall_ns)
{
	struct probe_slot slot = settled(target);

	assert_int_equal(slot.abandoned, 1);
	assert_int_equal(slot.wall_ns, wall_ns);
}

static void switch_away_and_back(void)
{
	struct thread *thread = here();

	switch_to(0, &world.idle[0]);
	after(10 * MS);
	kernel.events[0].counter += 1000;
	switch_to(0, thread);
}

static void exit_thread(void)
{
	__u64 arguments[] = { (uintptr_t)&here()->task };

	here()->way_out.sp = here()->sp;
	KERNEL_RUN(probe_thread_exit(arguments));
	switch_to(kernel.cpu, &world.idle[kernel.cpu]);
	KERNEL_RUN(probe_thread_free(arguments));
	kernel_task_free((const void *)(uintptr_t)arguments[0]);
}

/* ---- ends at probes of their own ---- */

#define OWN_ENDS (1ULL << PROBE_COOKIE_OWN_ENDS_SHIFT)
#define SITES	 (1ULL << PROBE_COOKIE_SITES_SHIFT)

static void own_ends(void)
{
	for (uint32_t target = 0; target < TARGETS; target++)
		world.extra[target] = OWN_ENDS | SITES;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
