/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of functions, in threads whose stacks, jumps and switches are this test's: it knows what each
 * call was, and how long it took.
 */
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

static void after(uint64_t ns)
{
	kernel.now_ns += ns;
}

static struct thread *here(void)
{
	return world.on_cpu[kernel.cpu];
}

/* ---- calls of who runs ---- */

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

/* Nothing is open, and each call has one end. */
static void assert_settled(const struct probe_slot *slot)
{
	assert_int_equal(slot->open, 0);
	assert_int_equal(slot->running, 0);
	assert_int_equal(slot->entries, slot->exits + slot->abandoned + slot->died + slot->unseen +
						slot->too_deep);
}

static void assert_calls(uint32_t target, uint64_t calls, uint64_t wall_ns)
{
	struct probe_slot slot = counted(target);

	assert_settled(&slot);
	assert_int_equal(slot.entries, calls);
	assert_int_equal(slot.exits, calls);
	assert_int_equal(slot.wall_ns, wall_ns);
	assert_int_equal(slot.unmatched, 0);
}

static void switch_away_and_back(void)
{
	struct thread *thread = here();

	switch_to(0, &world.idle[0]);
	after(10 * MS);
	kernel.events[0].counter += 1000;
	switch_to(0, thread);
}

/* ---- entries and exits ---- */

static void test_a_call_is_timed_from_its_entry_to_its_exit(void **state)
{
	struct probe_slot slot;

	(void)state;
	switch_to(0, &world.threads[0]);
	call(F);
	after(3 * MS);
	call(G);
	after(2 * MS);
	slot = counted(F);
	assert_int_equal(slot.open, probe_open_word(opened_ns, opened_ns));
	come_back(G);
	after(MS);
	come_back(F);
	assert_calls(F, 1, 6 * MS);
	assert_calls(G, 1, 2 * MS);
	assert_int_equal(counted(F).virtual_ns, 6 * MS);
	assert_int_equal(counted(G).longest_ns, 2 * MS);
	assert_int_equal(counted(H).entries, 0);
}

static void test_what_calls_itself_is_timed_once(void **state)
{
	enum { DEPTH = 5 };

	(void)state;
	switch_to(0, &world.threads[0]);
	for (int i = 0; i < DEPTH; i++) {
		call(F);
		after(MS);
	}
	for (int i = 0; i < DEPTH; i++)
		come_back(F);
	assert_calls(F, DEPTH, DEPTH * MS);
	assert_int_equal(counted(F).nested, DEPTH - 1);
	assert_int_equal(counted(F).virtual_ns, DEPTH * MS);
}

static void test_a_call_goes_where_its_thread_goes(void **state)
{
	struct probe_slot slot;

	(void)state;
	switch_to(0, &world.threads[0]);
	call(F);
	after(MS);
	switch_to(0, &world.threads[1]);
	call(F);
	after(4 * MS);
	switch_to(3, &world.threads[0]);
	after(2 * MS);
	come_back(F);
	slot = counted(F);
	assert_int_equal(slot.wall_ns, 7 * MS);
	assert_int_equal(slot.virtual_ns, 3 * MS);
	on(0);
	come_back(F);
	assert_calls(F, 2, 13 * MS);
	assert_int_equal(counted(F).virtual_ns, 9 * MS);
}

/* Whatever is deeper than the kernel's own return probes would see. */
static void test_calls_that_have_no_room_are_counted(void **state)
{
	enum { DEEPER = 6 };
	struct probe_slot slot;

	(void)state;
	switch_to(0, &world.threads[0]);
	for (int i = 0; i < PROBE_MAX_DEPTH + DEEPER; i++)
		call(F);
	here()->sp += (uint64_t)DEEPER * (FRAME_BYTES + 8);
	for (int i = 0; i < PROBE_MAX_DEPTH; i++)
		come_back(F);
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.entries, PROBE_MAX_DEPTH + DEEPER);
	assert_int_equal(slot.too_deep, DEEPER);
	assert_int_equal(slot.exits, PROBE_MAX_DEPTH);
}

static void test_a_return_without_an_entry_is_unmatched(void **state)
{
	(void)state;
	switch_to(0, &world.threads[0]);
	come_back(F);
	call(G);
	come_back(F);
	assert_int_equal(counted(F).unmatched, 2);
	assert_int_equal(counted(F).exits, 0);
}

/* The kernel did not see G's return. */
static void test_a_missed_return_has_no_time(void **state)
{
	struct probe_slot slot;

	(void)state;
	switch_to(0, &world.threads[0]);
	call(F);
	after(MS);
	call(G);
	after(2 * MS);
	switch_away_and_back();
	after(3 * MS);
	unwind_frame();
	come_back(F);
	assert_calls(F, 1, 16 * MS);
	assert_int_equal(counted(F).virtual_ns, 6 * MS);
	slot = counted(G);
	assert_settled(&slot);
	assert_int_equal(slot.abandoned, 1);
	assert_int_equal(slot.wall_ns + slot.virtual_ns + slot.timed, 0);
}

static void test_a_jump_out_is_noticed_at_the_next_call(void **state)
{
	struct probe_slot slot;

	(void)state;
	switch_to(0, &world.threads[0]);
	call(F);
	call(G);
	call(H);
	unwind_frame();
	unwind_frame(); /* a longjmp into F */
	after(MS);
	call(H);
	for (uint32_t target = G; target <= H; target++) {
		slot = counted(target);
		assert_int_equal(slot.abandoned, 1);
		assert_int_equal(slot.wall_ns, 0);
	}
	come_back(H);
	come_back(F);
	slot = counted(H);
	assert_settled(&slot);
	assert_int_equal(slot.exits, 1);
	assert_calls(F, 1, MS);
}

static void test_a_call_takes_the_place_of_one_that_was_abandoned(void **state)
{
	struct probe_slot slot;

	(void)state;
	switch_to(0, &world.threads[0]);
	call(G);
	after(MS);
	unwind_frame();
	call(G);
	after(MS);
	come_back(G);
	slot = counted(G);
	assert_settled(&slot);
	assert_int_equal(slot.abandoned, 1);
	assert_int_equal(slot.nested, 0);
	assert_int_equal(slot.wall_ns, MS);
}

/* F jumps to G: both have the same frame, and return at once. */
static void test_a_tail_call_ends_with_what_it_called(void **state)
{
	(void)state;
	switch_to(0, &world.threads[0]);
	call(F);
	after(MS);
	enter_here(G, 0);
	after(MS);
	leave_here(G, 0);
	leave_here(F, 0);
	unwind_frame();
	assert_calls(F, 1, 2 * MS);
	assert_calls(G, 1, MS);
}

/* ---- threads, by chance ---- */

static uint32_t chance(uint32_t below)
{
	static uint32_t bits = 1;

	bits = bits * 1664525 + 1013904223;
	return (bits >> 16) % below;
}

struct open_call {
	uint32_t target;
	uint64_t entered_ns, cpu_ns;
	bool outermost;
};

struct truth {
	struct open_call open[THREADS][PROBE_MAX_DEPTH];
	size_t depths[THREADS];
	uint64_t entries[TARGETS], nested[TARGETS], wall_ns[TARGETS], virtual_ns[TARGETS];
};

static void call_by_chance(struct truth *truth, size_t number)
{
	uint32_t target = chance(TARGETS);
	struct open_call *frame = &truth->open[number][truth->depths[number]];
	struct thread *thread = &world.threads[number];

	*frame = (struct open_call){
		.target = target,
		.entered_ns = kernel.now_ns,
		.cpu_ns = thread->cpu_ns + kernel.now_ns - thread->since_ns,
		.outermost = true,
	};
	for (size_t i = 0; i < truth->depths[number]; i++)
		frame->outermost &= truth->open[number][i].target != target;
	truth->depths[number]++;
	truth->entries[target]++;
	truth->nested[target] += !frame->outermost;
	call(target);
}

static void return_by_chance(struct truth *truth, size_t number)
{
	const struct open_call *frame = &truth->open[number][--truth->depths[number]];
	struct thread *thread = &world.threads[number];

	if (frame->outermost) {
		truth->wall_ns[frame->target] += kernel.now_ns - frame->entered_ns;
		truth->virtual_ns[frame->target] +=
			thread->cpu_ns + kernel.now_ns - thread->since_ns - frame->cpu_ns;
	}
	come_back(frame->target);
}

static struct thread *find_waiting(uint32_t cpu)
{
	struct thread *thread = &world.threads[chance(THREADS)];

	return thread->since_ns ? &world.idle[cpu] : thread;
}

static void test_calls_of_many_threads_add_up(void **state)
{
	static struct truth truth;

	(void)state;
	for (size_t i = 0; i < 40000; i++) {
		uint32_t cpu = chance(KERNEL_CPUS);
		size_t number = (size_t)(world.on_cpu[cpu] - world.threads);

		on(cpu);
		after(chance(1000));
		if (world.on_cpu[cpu] == &world.idle[cpu] || chance(4) == 0)
			switch_to(cpu, find_waiting(cpu));
		else if (truth.depths[number] == 0 ||
			 (truth.depths[number] < PROBE_MAX_DEPTH && chance(2)))
			call_by_chance(&truth, number);
		else
			return_by_chance(&truth, number);
	}
	for (size_t i = 0; i < THREADS; i++) {
		if (!world.threads[i].since_ns)
			switch_to((uint32_t)i, &world.threads[i]);
		for (uint32_t cpu = 0; cpu < KERNEL_CPUS; cpu++) {
			if (world.on_cpu[cpu] == &world.threads[i])
				on(cpu);
		}
		while (truth.depths[i])
			return_by_chance(&truth, i);
		switch_to(kernel.cpu, &world.idle[kernel.cpu]);
	}
	for (uint32_t target = 0; target < TARGETS; target++) {
		assert_true(truth.entries[target] > 1000);
		assert_calls(target, truth.entries[target], truth.wall_ns[target]);
		assert_int_equal(counted(target).nested, truth.nested[target]);
		assert_int_equal(counted(target).virtual_ns, truth.virtual_ns[target]);
	}
}

static void test_a_switch_amid_a_program_is_no_time_on_a_cpu(void **state)
{
	(void)state;
	switch_to(0, &world.threads[0]);
	call(G); /* so that the thread is known */
	kernel.at_clock = switch_away_and_back;
	call(F);
	after(MS);
	kernel.at_clock = switch_away_and_back;
	come_back(F);
	come_back(G);
	assert_int_equal(counted(F).virtual_ns, MS);
	assert_int_equal(counted(G).virtual_ns, MS);
	assert_int_equal(counted(F).running, 0);
}

/* The CPU's counter goes on while another thread is there. */
static void test_a_counter_is_that_of_the_threads_own_time(void **state)
{
	static const __u8 kinds[PROBE_SLOT_COUNTERS] = { PROBE_WIRE_PMU };

	(void)state;
	KERNEL_SET(counter_count, 1);
	kernel_set(counter_kinds, kinds, sizeof(kinds));
	kernel.event_count = KERNEL_CPUS;
	switch_to(0, &world.threads[0]);
	call(F);
	kernel.events[0].counter += 10;
	switch_away_and_back();
	kernel.events[0].counter += 5;
	call(G);
	kernel.events[0].counter += 7;
	kernel.at_clock = switch_away_and_back;
	come_back(G);
	kernel.at_clock = switch_away_and_back;
	come_back(F);
	assert_int_equal(counted(F).counters[0], 22);
	assert_int_equal(counted(G).counters[0], 7);
}

/* ---- the end of threads and programs ---- */

static void exit_thread(void)
{
	__u64 arguments[] = { (uintptr_t)&here()->task };

	here()->way_out.sp = here()->sp;
	KERNEL_RUN(probe_thread_exit(arguments));
	switch_to(kernel.cpu, &world.idle[kernel.cpu]);
	KERNEL_RUN(probe_thread_free(arguments));
	kernel_task_free((const void *)(uintptr_t)arguments[0]);
}

static void test_a_call_may_end_with_its_thread(void **state)
{
	struct probe_slot slot;

	(void)state;
	switch_to(2, &world.threads[1]);
	call(F);
	after(MS);
	switch_to(2, &world.idle[2]);
	after(MS);
	switch_to(1, &world.threads[1]);
	after(MS);
	exit_thread();
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.died, 1);
	assert_int_equal(slot.wall_ns, 3 * MS);
	assert_int_equal(slot.virtual_ns, 2 * MS);
	/* Another thread gets its task_struct, and nothing of its calls. */
	switch_to(1, &world.threads[1]);
	come_back(F);
	assert_int_equal(counted(F).unmatched, 1);
}

static void test_exec_ends_the_calls_of_the_program_before(void **state)
{
	struct probe_slot slot;
	__u64 arguments[1];

	(void)state;
	switch_to(0, &world.threads[0]);
	call(F);
	after(MS);
	arguments[0] = (uintptr_t)&here()->task;
	KERNEL_RUN(probe_exec(arguments));
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.died, 1);
	assert_int_equal(slot.wall_ns, 0);
}

static void test_a_thread_without_memory_is_counted(void **state)
{
	(void)state;
	kernel.elements_left = 0;
	switch_to(0, &world.threads[0]);
	call(F);
	come_back(F);
	assert_int_equal(threads_lost, 1);
	assert_int_equal(counted(F).entries, 1);
	assert_int_equal(counted(F).exits, 0);
}

/* ---- the window ---- */

static void test_only_what_enters_in_the_window_is_counted(void **state)
{
	(void)state;
	phase = PROBE_NOT_YET;
	switch_to(0, &world.threads[0]);
	call(F);
	phase = PROBE_OPEN;
	call(G);
	come_back(G);
	come_back(F);
	call(F);
	phase = PROBE_CLOSED;
	come_back(F);
	call(G);
	assert_int_equal(counted(G).entries, 1);
	assert_int_equal(counted(F).entries, 1);
	assert_int_equal(counted(F).exits, 0);
	assert_int_equal(counted(F).unmatched, 0);
	assert_int_equal(counted(F).open >> PROBE_OPEN_COUNT_SHIFT, 1);
}

/* ---- ends at probes of their own: returns, jumps, sites ---- */

#define OWN_ENDS (1ULL << PROBE_COOKIE_OWN_ENDS_SHIFT)
#define SITES	 (1ULL << PROBE_COOKIE_SITES_SHIFT)

static void own_ends(void)
{
	for (uint32_t target = 0; target < TARGETS; target++)
		world.extra[target] = OWN_ENDS | SITES;
}

static void arm(uint64_t address)
{
	struct probe_site_key key = { .inode = CODE_INODE,
				      .offset = address - CODE_AT + CODE_OFFSET,
				      .device = CODE_DEVICE };
	__u32 armed = PROBE_SITE_ARMED;

	bpf_map_update_elem(&sites, &key, &armed, BPF_ANY);
}

static void test_a_functions_own_return_ends_it(void **state)
{
	(void)state;
	own_ends();
	switch_to(0, &world.threads[0]);
	call(F);
	after(MS);
	call(G);
	after(MS);
	come_to_return(G);
	come_to_return(F);
	assert_calls(F, 1, 2 * MS);
	assert_calls(G, 1, MS);
}

static void test_a_jump_ends_where_the_call_returns_to(void **state)
{
	(void)state;
	own_ends();
	arm(MAIN_CODE);
	switch_to(0, &world.threads[0]);
	call(F);
	after(MS);
	jump_from(F); /* to what is not watched */
	after(MS);
	at_spot(F, PROBE_SPOT_SITE, (struct pt_regs){ .rsp = here()->sp + 8, .rip = MAIN_CODE });
	unwind_frame();
	assert_calls(F, 1, 2 * MS);
}

static void test_a_new_site_is_reported(void **state)
{
	const struct probe_site_event *event;
	struct probe_slot slot;

	(void)state;
	own_ends();
	switch_to(0, &world.threads[0]);
	call(F);
	jump_from(F);
	unwind_frame();
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.unseen, 1);
	assert_int_equal(kernel.record_count, 1);
	event = kernel.records[0].data;
	assert_int_equal(event->key.inode, CODE_INODE);
	assert_int_equal(event->key.device, CODE_DEVICE);
	assert_int_equal(event->key.offset, MAIN_CODE - CODE_AT + CODE_OFFSET);
	assert_int_equal(event->address, MAIN_CODE);
	assert_int_equal(event->pid, PROCESS);
	call(F);
	come_to_return(F);
	assert_int_equal(kernel.record_count, 1);
}

static void test_sites_without_room_are_counted(void **state)
{
	(void)state;
	own_ends();
	kernel_map_resize(&sites, 1);
	switch_to(0, &world.threads[0]);
	call(F);
	come_to_return(F);
	call_with(F, MAIN_CODE + 16, 0);
	come_to_return(F);
	assert_int_equal(sites_lost, 1);
	assert_int_equal(kernel.record_count, 1);
}

/* What the ring has no room for is reported at the next call. */
static void test_a_site_that_was_not_reported_is_reported_later(void **state)
{
	(void)state;
	own_ends();
	kernel.output_left = 0;
	switch_to(0, &world.threads[0]);
	call(F);
	come_to_return(F);
	kernel.output_left = SIZE_MAX;
	call(F);
	come_to_return(F);
	assert_int_equal(sites_lost, 0);
	assert_int_equal(kernel.record_count, 1);
}

static void test_an_exception_ends_what_it_leaves(void **state)
{
	struct probe_slot slot;
	uint64_t sp;

	(void)state;
	own_ends();
	switch_to(0, &world.threads[0]);
	call(F);
	sp = here()->sp;
	after(MS);
	call(G);
	call(H);
	after(2 * MS);
	/* The handler lies in F's body, below its frame. */
	here()->sp = sp - 8;
	store(here()->sp, 0);
	at_spot(F, PROBE_SPOT_CATCH, (struct pt_regs){ .rsp = here()->sp });
	here()->sp = sp;
	after(MS);
	come_to_return(F);
	for (uint32_t target = G; target <= H; target++) {
		slot = counted(target);
		assert_settled(&slot);
		assert_int_equal(slot.abandoned, 1);
		assert_int_equal(slot.wall_ns, 2 * MS);
	}
	assert_calls(F, 1, 4 * MS);
}

/* A jmp_buf as glibc writes it: turned, and mixed with the thread's secret. */
static void longjmp_to(uint64_t target_sp, uint64_t written)
{
	uint64_t buffer = here()->stack_at;

	store(here()->task.thread.fsbase + GUARD_AT, 0x123456789abcdef0);
	if (target_sp) {
		written = target_sp ^ 0x123456789abcdef0;
		written = written << GUARD_BITS | written >> (64 - GUARD_BITS);
	}
	store(buffer + JMP_BUF_SP, written);
	at_spot(0, PROBE_SPOT_LONGJMP, (struct pt_regs){ .rsp = here()->sp - 8, .rdi = buffer });
}

static void test_a_longjmp_ends_what_it_leaves(void **state)
{
	struct probe_slot slot;
	uint64_t sp;

	(void)state;
	own_ends();
	switch_to(0, &world.threads[0]);
	call(F);
	sp = here()->sp;
	after(MS);
	call(G);
	call(H);
	after(3 * MS);
	longjmp_to(sp - 16, 0);
	here()->sp = sp;
	after(MS);
	come_to_return(F);
	for (uint32_t target = G; target <= H; target++) {
		slot = counted(target);
		assert_settled(&slot);
		assert_int_equal(slot.abandoned, 1);
		assert_int_equal(slot.timed, 1);
		assert_int_equal(slot.wall_ns, 3 * MS);
	}
	assert_calls(F, 1, 5 * MS);
}

/* Its target is unknown, so is what an ending thread is still in. */
static void test_a_longjmp_to_an_unknown_place_leaves_a_doubt(void **state)
{
	struct probe_slot slot;

	(void)state;
	own_ends();
	switch_to(0, &world.threads[1]);
	call(F);
	longjmp_to(0, 0x1111);
	exit_thread();
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.unseen, 1);
	assert_int_equal(slot.died, 0);
}

/* ---- what calls are given and return ---- */

static void test_values_and_errors_are_counted(void **state)
{
	static const struct {
		uint32_t kind, bytes;
		uint64_t value;
		int64_t number;
		bool error;
	} cases[] = {
		{ PROBE_WIRE_SIGNED, 4, 0xdeadbeeffffffffeULL, -2, true },
		{ PROBE_WIRE_SIGNED, 8, 5, 5, false },
		{ PROBE_WIRE_UNSIGNED, 1, 0x7707, 7, false },
		{ PROBE_WIRE_UNSIGNED, 4, 0xfffffffe, 0xfffffffe, false },
		{ PROBE_WIRE_POINTER, 8, 0, 0, true },
		{ PROBE_WIRE_UNKNOWN, 0, 0xfffffff4, -12, true },
		{ PROBE_WIRE_SIGNED, 8, (uint64_t)-5000, -5000, false },
	};

	(void)state;
	switch_to(0, &world.threads[0]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t errors = counted(F).errors;
		uint32_t index = F, bucket = probe_value_bucket(cases[i].number), before;

		before = ((struct probe_values *)bpf_map_lookup_elem(&values, &index))
				 ->buckets[bucket];
		world.extra[F] = 0;
		returns(F, cases[i].kind, cases[i].bytes);
		call(F);
		come_back_with(F, cases[i].value);
		assert_int_equal(counted(F).errors - errors, cases[i].error);
		assert_int_equal(((struct probe_values *)bpf_map_lookup_elem(&values, &index))
					 ->buckets[bucket],
				 before + 1);
	}
}

static void test_times_are_in_their_buckets(void **state)
{
	uint32_t index = 2 * ROWS + F;
	const struct probe_latency *found;

	(void)state;
	switch_to(2, &world.threads[0]);
	for (int i = 0; i < 3; i++) {
		call(F);
		after(100 * US);
		come_back(F);
	}
	found = bpf_map_lookup_elem(&latencies, &index);
	assert_int_equal(found->buckets[probe_latency_bucket(100 * US)], 3);
}

static void set_steps(const struct probe_steps *steps, struct probe_step step)
{
	struct probe_steps to = { .list = { step }, .count = 1 };

	kernel_set(steps, &to, sizeof(to));
}

static void test_a_condition_decides_at_the_entry(void **state)
{
	(void)state;
	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_ON_CONDITION);
	set_steps((const void *)(uintptr_t)&entry_steps,
		  (struct probe_step){ .kind = PROBE_STEP_LESS,
				       .operand = PROBE_OPERAND_ARGUMENT,
				       .bits = 32,
				       .sign = 1,
				       .constants = { 3 } });
	switch_to(0, &world.threads[0]);
	for (uint64_t i = 0; i < 8; i++) {
		call_with(F, MAIN_CODE, i % 2 ? i : -i & 0xffffffff);
		after(MS);
		come_back(F);
	}
	assert_calls(F, 5, 5 * MS); /* 0, 1, -2, -4, -6 */
}

static void test_what_is_returned_decides_at_the_exit(void **state)
{
	(void)state;
	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_DO_VIRTUAL | PROBE_ON_RETURN);
	set_steps((const void *)(uintptr_t)&return_steps,
		  (struct probe_step){ .kind = PROBE_STEP_EQUAL,
				       .operand = PROBE_OPERAND_RETURNED,
				       .bits = 64,
				       .constants = { 7 } });
	returns(F, PROBE_WIRE_SIGNED, 8);
	switch_to(0, &world.threads[0]);
	for (uint64_t i = 0; i < 3; i++) {
		call(F);
		after(MS);
		switch_away_and_back();
		after(MS);
		come_back_with(F, 6 + i);
	}
	assert_calls(F, 1, 12 * MS);
	assert_int_equal(counted(F).virtual_ns, 2 * MS);
}

static void test_only_wanted_processes_count(void **state)
{
	struct task_struct child = { .tgid = 200 };
	__u32 pid = PROCESS;
	__u64 any = PROBE_ANY_PROCESS;
	__u64 arguments[] = { 0, (uintptr_t)&child };

	(void)state;
	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_ONLY_PIDS);
	switch_to(0, &world.threads[0]);
	call(F);
	come_back(F);
	assert_int_equal(counted(F).entries, 0);
	bpf_map_update_elem(&wanted_pids, &pid, &any, BPF_ANY);
	call(F);
	come_back(F);
	assert_calls(F, 1, 0);
	KERNEL_RUN(probe_fork(arguments));
	world.threads[1].known.pid = 200;
	switch_to(0, &world.threads[1]);
	call(F);
	come_back(F);
	assert_calls(F, 2, 0);
}

/* ---- rows ---- */

static void test_each_thread_has_a_row_until_there_are_none(void **state)
{
	const struct probe_row_name *name;
	__u32 index = 1;

	(void)state;
	KERNEL_SET(row_key, PROBE_WIRE_THREAD);
	kernel_map_resize(&keys, 2);
	kernel_map_resize(&row_names, 2);
	for (size_t i = 0; i < 3; i++) {
		switch_to(0, &world.threads[i]);
		call(F);
		come_back(F);
		call(F);
		come_back(F);
	}
	assert_calls(0, 2, 0);
	assert_calls(1, 2, 0);
	assert_int_equal(keys_lost, 2);
	assert_int_equal(rows_given, 2);
	assert_int_equal(counted(2).entries, 0);
	name = bpf_map_lookup_elem(&row_names, &index);
	assert_int_equal(name->id, PROCESS + 1);
	assert_int_equal(name->pid, PROCESS);
	assert_string_equal(name->comm, "name");
}

static void test_a_thread_that_enters_on_another_cpu_has_moved(void **state)
{
	static const uint32_t cpus[] = { 0, 0, 1, 1, 1, 0 };

	(void)state;
	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_DO_MOVED);
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		switch_to(cpus[i], &world.threads[0]);
		call(F);
		come_back(F);
		switch_to(cpus[i], &world.idle[cpus[i]]);
	}
	assert_int_equal(counted(F).moved, 2);
}

/* ---- stacks beside the thread's own ---- */

enum { FIBER_STACK = 16 * 1024 };

/* A mapping with room for four fibers: in the memory of a thread that is not run. */
static uint64_t fiber_sp(size_t number)
{
	return world.threads[THREADS - 1].stack_at + (number + 1) * FIBER_STACK - 512;
}

static void test_calls_on_the_stack_for_signals_are_apart(void **state)
{
	uint64_t sp;

	(void)state;
	switch_to(0, &world.threads[0]);
	world.threads[0].task.sas_ss_sp = world.threads[1].stack_at;
	world.threads[0].task.sas_ss_size = STACK_SIZE;
	call(F);
	after(MS);
	sp = here()->sp;
	here()->sp = world.threads[1].stack_at + 4096; /* a handler, on the other stack */
	call(G);
	after(MS);
	come_back(G);
	here()->sp = sp;
	come_back(F);
	assert_calls(F, 1, 2 * MS);
	assert_calls(G, 1, MS);
}

/* Out of a handler by siglongjmp: the thread goes on on its own stack. */
static void test_a_handler_that_was_left_is_no_more(void **state)
{
	struct probe_slot slot;
	uint64_t sp;

	(void)state;
	switch_to(0, &world.threads[0]);
	world.threads[0].task.sas_ss_sp = world.threads[1].stack_at;
	world.threads[0].task.sas_ss_size = STACK_SIZE;
	call(F);
	sp = here()->sp;
	here()->sp = world.threads[1].stack_at + 4096;
	call(G);
	here()->sp = sp;
	call(H);
	come_back(H);
	come_back(F);
	slot = counted(G);
	assert_settled(&slot);
	assert_int_equal(slot.abandoned, 1);
	assert_calls(F, 1, 0);
	assert_calls(H, 1, 0);
}

/* Two fibers of one thread: each call returns in its own, whatever runs between. */
static void test_calls_of_fibers_return_in_their_own_stack(void **state)
{
	struct probe_slot slot;
	uint64_t own, first;

	(void)state;
	switch_to(0, &world.threads[0]);
	call(H);
	own = here()->sp;
	here()->sp = fiber_sp(0);
	call(F);
	after(MS);
	first = here()->sp;
	here()->sp = fiber_sp(1);
	call(G);
	after(MS);
	here()->sp = first;
	come_back(F);
	here()->sp = fiber_sp(1) - FRAME_BYTES - 8;
	come_back(G);
	here()->sp = own;
	come_back(H);
	for (uint32_t target = F; target <= G; target++) {
		slot = counted(target);
		assert_settled(&slot);
		assert_int_equal(slot.exits, 1);
		assert_int_equal(slot.unmatched, 0);
		/* A call has all of its time, or it is said that its thread was elsewhere. */
		assert_int_equal(slot.timed + slot.switched, 1);
	}
	assert_calls(H, 1, 2 * MS);
}

/* ---- goroutines ---- */

enum { GO_GOID = 8, GO_STACK_HI = 16, GO_WORDS = 4 };

static uint64_t goroutines_at[2] = { 0x5000000, 0x6000000 };
static uint64_t goroutine_words[2][GO_WORDS];

#define OF_GO (1ULL << PROBE_COOKIE_GO_SHIFT | OWN_ENDS)

static void begin_go(void)
{
	struct probe_go_layout layout = { .goid = GO_GOID,
					  .stack_hi = GO_STACK_HI,
					  .g_in_register = 1 };

	kernel_set(&go_layouts[1], &layout, sizeof(layout));
	KERNEL_SET(has_goroutines, 1);
	for (uint32_t target = 0; target < TARGETS; target++)
		world.extra[target] = OF_GO;
	for (size_t i = 0; i < 2; i++) {
		memset(goroutine_words[i], 0, sizeof(goroutine_words[i]));
		goroutine_words[i][GO_GOID / 8] = 10 + i;
		goroutine_words[i][GO_STACK_HI / 8] = fiber_sp(i) + 256;
		kernel_memory_add(goroutines_at[i], goroutine_words[i], sizeof(goroutine_words[i]));
	}
}

/* At @depth calls below the top of its stack. */
static struct pt_regs registers_of(size_t goroutine, unsigned depth)
{
	uint64_t high = goroutine_words[goroutine][GO_STACK_HI / 8];

	return (struct pt_regs){ .rsp = high - 256 - (uint64_t)depth * (FRAME_BYTES + 8),
				 .r14 = goroutines_at[goroutine] };
}

static void go_enter(size_t goroutine, unsigned depth, uint32_t target)
{
	struct pt_regs regs = registers_of(goroutine, depth);

	store(regs.rsp, MAIN_CODE);
	set_cookie(target, 0);
	KERNEL_RUN(probe_entry_user(&regs));
}

static void go_return(size_t goroutine, unsigned depth, uint32_t target)
{
	at_spot(target, PROBE_SPOT_RETURN, registers_of(goroutine, depth));
}

static void test_a_goroutine_takes_its_calls_from_thread_to_thread(void **state)
{
	(void)state;
	begin_go();
	switch_to(0, &world.threads[0]);
	switch_to(1, &world.threads[1]);
	on(0);
	go_enter(0, 1, F);
	after(MS);
	go_enter(1, 1, F); /* on the same thread, while the first waits */
	after(MS);
	on(1);
	go_enter(0, 2, G);
	after(MS);
	go_return(0, 2, G);
	go_return(0, 1, F);
	on(0);
	after(MS);
	go_return(1, 1, F);
	assert_calls(F, 2, 6 * MS);
	assert_calls(G, 1, MS);
	assert_int_equal(counted(F).nested, 0);
	assert_int_equal(kernel_map_count(&goroutines), 0);
}

/* It is copied elsewhere when it grows. */
static void test_a_goroutines_stack_may_move(void **state)
{
	(void)state;
	begin_go();
	switch_to(0, &world.threads[0]);
	go_enter(0, 1, F);
	go_enter(0, 2, G);
	after(MS);
	goroutine_words[0][GO_STACK_HI / 8] = fiber_sp(2) + 256;
	go_enter(0, 3, H);
	go_return(0, 3, H);
	go_return(0, 2, G);
	go_return(0, 1, F);
	assert_calls(F, 1, MS);
	assert_calls(G, 1, MS);
	assert_calls(H, 1, 0);
}

static void test_a_goroutine_that_ends_ends_its_calls(void **state)
{
	struct probe_slot slot;

	(void)state;
	begin_go();
	switch_to(0, &world.threads[0]);
	go_enter(0, 1, F);
	after(MS);
	at_spot(F, PROBE_SPOT_GOEXIT, registers_of(0, 2));
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.died, 1);
	assert_int_equal(slot.wall_ns, MS);
	assert_int_equal(kernel_map_count(&goroutines), 0);
}

/* Its end was not seen: another one has its place, and a number of its own. */
static void test_a_goroutine_in_anothers_place_has_none_of_its_calls(void **state)
{
	struct probe_slot slot;

	(void)state;
	begin_go();
	switch_to(0, &world.threads[0]);
	go_enter(0, 1, F);
	after(MS);
	goroutine_words[0][GO_GOID / 8] = 99;
	go_enter(0, 2, F);
	after(MS);
	go_return(0, 2, F);
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.died, 1);
	assert_int_equal(slot.exits, 1);
	assert_int_equal(slot.nested, 0);
	assert_int_equal(slot.wall_ns, MS); /* of the second: when the first ended is unknown */
}

static void test_goroutines_end_with_their_process(void **state)
{
	struct probe_slot slot;

	(void)state;
	begin_go();
	switch_to(0, &world.threads[0]);
	go_enter(0, 1, F);
	go_enter(1, 1, F);
	after(MS);
	world.signals.live.counter = 0;
	exit_thread();
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.died, 2);
	assert_int_equal(slot.wall_ns, 2 * MS);
	assert_int_equal(kernel_map_count(&goroutines), 0);
}

static void test_goroutines_without_room_are_counted(void **state)
{
	(void)state;
	begin_go();
	kernel_map_resize(&goroutines, 1);
	switch_to(0, &world.threads[0]);
	go_enter(0, 1, F);
	go_enter(1, 1, F);
	assert_int_equal(threads_lost, 1);
	go_return(0, 1, F);
	go_enter(1, 1, F);
	assert_int_equal(threads_lost, 1);
}

/* ---- the kernel's functions ---- */

static void test_a_function_of_the_kernel_is_timed(void **state)
{
	static uint64_t stack[16];
	struct pt_regs at_entry = { .rsp = (uintptr_t)&stack[8] };
	struct pt_regs at_exit = { .rsp = (uintptr_t)&stack[9], .rax = (uint64_t)-2 };

	(void)state;
	switch_to(0, &world.threads[0]);
	call(G); /* it calls the kernel */
	kernel.cookie = F | (PROBE_WIRE_SIGNED | 8ULL << PROBE_COOKIE_BYTES_SHIFT)
				    << PROBE_COOKIE_RETURNS_SHIFT;
	KERNEL_RUN(probe_entry(&at_entry));
	after(MS);
	KERNEL_RUN(probe_exit(&at_exit));
	come_back(G);
	assert_calls(F, 1, MS);
	assert_calls(G, 1, MS);
	assert_int_equal(counted(F).errors, 1);
}

/* The kernel was left, so its functions were, whose returns were missed. */
static void test_a_program_that_calls_is_not_in_the_kernel(void **state)
{
	static uint64_t stack[16];
	struct pt_regs at_entry = { .rsp = (uintptr_t)&stack[8] };
	struct probe_slot slot;

	(void)state;
	switch_to(0, &world.threads[0]);
	kernel.cookie = F;
	KERNEL_RUN(probe_entry(&at_entry));
	call(G);
	come_back(G);
	slot = counted(F);
	assert_settled(&slot);
	assert_int_equal(slot.abandoned, 1);
}

static void test_only_entries_are_counted_where_no_more_is_wanted(void **state)
{
	struct pt_regs regs = { .rsp = STACKS_AT };

	(void)state;
	KERNEL_SET(todo, 0);
	switch_to(0, &world.threads[0]);
	set_cookie(F, 0);
	KERNEL_RUN(probe_only(&regs));
	KERNEL_RUN(probe_fentry_only(&regs));
	assert_int_equal(counted(F).entries, 2);
	assert_int_equal(kernel_map_count(&threads), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_call_is_timed_from_its_entry_to_its_exit),
		TEST(test_what_calls_itself_is_timed_once),
		TEST(test_a_call_goes_where_its_thread_goes),
		TEST(test_calls_that_have_no_room_are_counted),
		TEST(test_a_return_without_an_entry_is_unmatched),
		TEST(test_a_missed_return_has_no_time),
		TEST(test_a_jump_out_is_noticed_at_the_next_call),
		TEST(test_a_call_takes_the_place_of_one_that_was_abandoned),
		TEST(test_a_tail_call_ends_with_what_it_called),
		TEST(test_calls_of_many_threads_add_up),
		TEST(test_a_switch_amid_a_program_is_no_time_on_a_cpu),
		TEST(test_a_counter_is_that_of_the_threads_own_time),
		TEST(test_a_call_may_end_with_its_thread),
		TEST(test_exec_ends_the_calls_of_the_program_before),
		TEST(test_a_thread_without_memory_is_counted),
		TEST(test_only_what_enters_in_the_window_is_counted),
		TEST(test_a_functions_own_return_ends_it),
		TEST(test_a_jump_ends_where_the_call_returns_to),
		TEST(test_a_new_site_is_reported),
		TEST(test_sites_without_room_are_counted),
		TEST(test_a_site_that_was_not_reported_is_reported_later),
		TEST(test_an_exception_ends_what_it_leaves),
		TEST(test_a_longjmp_ends_what_it_leaves),
		TEST(test_a_longjmp_to_an_unknown_place_leaves_a_doubt),
		TEST(test_values_and_errors_are_counted),
		TEST(test_times_are_in_their_buckets),
		TEST(test_a_condition_decides_at_the_entry),
		TEST(test_what_is_returned_decides_at_the_exit),
		TEST(test_only_wanted_processes_count),
		TEST(test_each_thread_has_a_row_until_there_are_none),
		TEST(test_a_thread_that_enters_on_another_cpu_has_moved),
		TEST(test_calls_on_the_stack_for_signals_are_apart),
		TEST(test_a_handler_that_was_left_is_no_more),
		TEST(test_calls_of_fibers_return_in_their_own_stack),
		TEST(test_a_goroutine_takes_its_calls_from_thread_to_thread),
		TEST(test_a_goroutines_stack_may_move),
		TEST(test_a_goroutine_that_ends_ends_its_calls),
		TEST(test_a_goroutine_in_anothers_place_has_none_of_its_calls),
		TEST(test_goroutines_end_with_their_process),
		TEST(test_goroutines_without_room_are_counted),
		TEST(test_a_function_of_the_kernel_is_timed),
		TEST(test_a_program_that_calls_is_not_in_the_kernel),
		TEST(test_only_entries_are_counted_where_no_more_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
