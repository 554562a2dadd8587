/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where threads wait, in a kernel whose scheduler is this test: it knows what each thread's time went
 * into, and by what it was woken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

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

/* @state: of who leaves; 0: it is preempted. */
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

static void add_times(struct off_cpu_times *sum, const struct off_cpu_times *times)
{
	sum->running_ns += times->running_ns;
	sum->runnable_ns += times->runnable_ns;
	sum->blocked_ns += times->blocked_ns;
	sum->io_ns += times->io_ns;
	sum->waits += times->waits;
}

static void assert_times(const struct off_cpu_times *reported,
			 const struct off_cpu_times *true_ones)
{
	assert_int_equal(reported->running_ns, true_ones->running_ns);
	assert_int_equal(reported->runnable_ns, true_ones->runnable_ns);
	assert_int_equal(reported->blocked_ns, true_ones->blocked_ns);
	assert_int_equal(reported->io_ns, true_ones->io_ns);
	assert_int_equal(reported->waits, true_ones->waits);
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

/* ---- one wait ---- */

static void test_a_wait_is_reported_with_its_parts_its_stacks_and_its_waker(void **state)
{
	const struct off_cpu_wait_record *wait;
	const struct off_cpu_left_record *left;
	const struct off_cpu_woke_record *woke;
	struct thread *thread, *waker;
	uint64_t left_ns;

	(void)state;
	begin_pair(&thread, &waker);
	left_ns = kernel.now_ns;
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(3 * MS);
	wake(1, thread);
	after(2 * MS);
	switch_to(3, thread, TASK_RUNNING);

	left = find_record(OFF_CPU_LEFT, 0);
	assert_non_null(left);
	assert_int_equal(left->pid, 100);
	assert_int_equal(left->tid, 100);
	assert_int_equal(left->left_ns, left_ns);
	assert_int_equal(left->count, 2);
	assert_int_equal(left->addresses[0], ENTRY_IP);

	woke = find_record(OFF_CPU_WOKE, 0);
	assert_non_null(woke);
	assert_int_equal(woke->tid, 100);
	assert_int_equal(woke->left_ns, left_ns);
	assert_int_equal(woke->count, 3);

	wait = wait_number(0);
	assert_int_equal(wait->pid, 100);
	assert_int_equal(wait->tid, 100);
	assert_int_equal(wait->left_ns, left_ns);
	assert_int_equal(wait->blocked_ns, 3 * MS);
	assert_int_equal(wait->runnable_ns, 2 * MS);
	assert_int_equal(wait->waker_pid, 101);
	assert_int_equal(wait->waker_tid, 104);
	assert_int_equal(wait->flags, OFF_CPU_CAPTURED);
	assert_int_equal(wait->user_ip, ENTRY_IP);
	assert_int_equal(wait->count, 3);
	assert_int_equal(wait->addresses[2], 3);
	assert_int_equal(wait->threshold_ns, 1);
	assert_int_equal(count_records(OFF_CPU_WAIT), 1);
}

static void test_a_preempted_thread_is_runnable_all_the_time(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	switch_to(0, &world.threads[8], TASK_RUNNING);
	after(7 * MS);
	switch_to(0, thread, STATE_SLEEPS);
	assert_int_equal(wait_number(0)->blocked_ns, 0);
	assert_int_equal(wait_number(0)->runnable_ns, 7 * MS);
	assert_int_equal(wait_number(0)->waker_tid, 0);
}

/* It had already said that it would sleep. */
static void test_a_thread_that_is_preempted_as_it_decides_to_wait_is_runnable(void **state)
{
	struct thread *thread, *waker;
	__u64 arguments[3];

	(void)state;
	begin_pair(&thread, &waker);
	arguments[0] = true;
	arguments[1] = (uintptr_t)&thread->task;
	arguments[2] = (uintptr_t)&world.idle[0].task;
	thread->task.__state = STATE_SLEEPS;
	on(0);
	KERNEL_RUN(off_cpu_switch_fp(arguments));
	after(MS);
	world.on_cpu[0] = &world.idle[0];
	switch_to(0, thread, TASK_RUNNING);
	assert_int_equal(wait_number(0)->blocked_ns, 0);
	assert_int_equal(wait_number(0)->runnable_ns, MS);
}

static void test_who_woke_a_thread_before_does_not_wake_it_again(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(MS);
	wake(1, thread);
	switch_to(0, thread, TASK_RUNNING);
	switch_to(0, &world.threads[8], TASK_RUNNING);
	after(MS);
	switch_to(0, thread, STATE_SLEEPS);
	assert_int_equal(wait_number(0)->waker_tid, 104);
	assert_int_equal(wait_number(1)->waker_tid, 0);
}

/* In the idle task: no thread woke it, and its stack would say nothing. */
static void test_an_interrupt_of_an_idle_cpu_is_no_waker(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(MS);
	wake(0, thread);
	switch_to(0, thread, TASK_RUNNING);
	assert_int_equal(wait_number(0)->blocked_ns, MS);
	assert_int_equal(wait_number(0)->waker_tid, 0);
	assert_null(find_record(OFF_CPU_WOKE, 0));
}

/* From the stack user space sees whether an interrupt hit the thread. */
static void test_the_stack_of_who_wakes_goes_with_it(void **state)
{
	const struct off_cpu_woke_record *woke;
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(MS);
	kernel.kernel_stack = (struct kernel_stack){ { 71, 72 }, 2, 0 };
	wake(1, thread);
	wake(1, thread); /* it is runnable already */
	woke = find_record(OFF_CPU_WOKE, 0);
	assert_non_null(woke);
	assert_int_equal(woke->count, 2);
	assert_int_equal(woke->addresses[0], 71);
	assert_int_equal(count_records(OFF_CPU_WOKE), 1);
}

static void test_how_a_thread_left_is_reported(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	thread->task.in_iowait = 1;
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(MS);
	wake(1, thread);
	switch_to(0, thread, TASK_RUNNING);
	switch_to(0, &world.idle[0], STATE_TRACED);
	after(MS);
	wake(1, thread);
	switch_to(0, thread, TASK_RUNNING);
	thread->task.mm = NULL;
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(MS);
	wake(1, thread);
	switch_to(0, thread, TASK_RUNNING);
	assert_int_equal(wait_number(0)->flags, OFF_CPU_IO | OFF_CPU_CAPTURED);
	assert_int_equal(wait_number(1)->flags, OFF_CPU_STOPPED | OFF_CPU_CAPTURED);
	assert_int_equal(wait_number(2)->flags, OFF_CPU_KERNEL_THREAD);
	assert_int_equal(wait_number(2)->user_ip, 0);
}

/* A waking that came before the thread was followed, or that the kernel did not report. */
static void test_a_wait_whose_waking_was_not_seen_is_blocked(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(4 * MS);
	switch_to(0, thread, TASK_RUNNING);
	assert_int_equal(wait_number(0)->blocked_ns, 4 * MS);
	assert_int_equal(wait_number(0)->runnable_ns, 0);
}

/* ---- user stacks with tables ---- */

enum { STACK_AT = 0x7ffe0000, STACK_SIZE = 4096 };

/* Of a process that has no tables yet: registers and a piece of the stack. */
static void check_dump(int (*program)(__u64 *))
{
	static unsigned char stack[STACK_SIZE];
	static struct stack_record record[2 * STACK_SIZE / sizeof(struct stack_record)];
	struct thread *thread, *waker;
	uint64_t left_ns;

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (unsigned char)i;
	KERNEL_SET(dump_bytes, STACK_DUMP_MAX);
	kernel_memory_add(STACK_AT, stack, sizeof(stack));
	begin_pair(&thread, &waker);
#if defined(__TARGET_ARCH_x86)
	thread->registers.sp = STACK_AT + 1024;
	thread->registers.cs = 0x33;
#else
	thread->registers.sp = STACK_AT + 1024;
#endif
	left_ns = kernel.now_ns;
	switch_by(program, 0, &world.idle[0], STATE_SLEEPS);
	assert_int_equal(kernel.record_count, 1);
	assert_true(kernel.records[0].size <= sizeof(record) - RECORD_SKIP);
	memcpy((char *)record + RECORD_SKIP, kernel.records[0].data, kernel.records[0].size);
	assert_int_equal(record->form, STACK_FORM_DUMP);
	assert_int_equal(record->end, UNWIND_END_STALE);
	assert_int_equal(record->period, left_ns);
	assert_int_equal(record->generation, 0);
	assert_int_equal(record->user_count, 0);
	assert_int_equal(record->stack_address, STACK_AT + 1024 - RED_ZONE);
	assert_int_equal(record->stack_size, STACK_SIZE - 1024 + RED_ZONE);
	assert_int_equal(record->flags, 0); /* nothing more was there */
	assert_memory_equal((const char *)&record[1] + sizeof(struct unwind_registers),
			    stack + 1024 - RED_ZONE, record->stack_size);
	assert_int_equal(kernel.records[0].size, sizeof(*record) - RECORD_SKIP +
							 sizeof(struct unwind_registers) +
							 record->stack_size);
}

static void test_a_stack_without_tables_is_copied(void **state)
{
	(void)state;
	check_dump(off_cpu_switch_loop);
}

static void test_a_stack_without_tables_is_copied_by_calls(void **state)
{
	(void)state;
	check_dump(off_cpu_switch_calls);
}

/* ---- times ---- */

static uint32_t chance(uint32_t below)
{
	static uint32_t bits = 1;

	bits = bits * 1664525 + 1013904223;
	return (bits >> 16) % below;
}

static struct thread *find_runnable(void)
{
	size_t first = chance(THREADS);

	for (size_t i = 0; i < THREADS; i++) {
		struct thread *thread = &world.threads[(first + i) % THREADS];

		if (thread->state == OFF_CPU_RUNNABLE)
			return thread;
	}
	return NULL;
}

static void happen_on(uint32_t cpu, struct off_cpu_times *ended)
{
	static const uint32_t states[] = { TASK_RUNNING, STATE_SLEEPS, STATE_SLEEPS, TASK_DEAD };
	struct thread *here = world.on_cpu[cpu], *next = find_runnable();
	struct thread *any = &world.threads[chance(THREADS)];
	bool idle = here == &world.idle[cpu];

	if (!any->state && !idle) {
		fork_by(cpu, any);
	} else if (any->state == OFF_CPU_BLOCKED) {
		wake(cpu, any);
	} else if (!idle && chance(8) == 0) {
		exec(cpu);
		become(here, OFF_CPU_RUNNING);
		add_times(ended, &here->times);
		here->times = (struct off_cpu_times){ 0 };
	} else if (next || !idle) {
		uint32_t state = idle ? TASK_RUNNING : states[chance(chance(8) ? 3 : 4)];

		here->task.in_iowait = state == STATE_SLEEPS && chance(2);
		switch_to(cpu, next ? next : &world.idle[cpu], next || idle ? state : STATE_SLEEPS);
		if (state & TASK_DEAD && next) {
			add_times(ended, &here->times);
			here->times = (struct off_cpu_times){ 0 };
		}
	}
}

static struct off_cpu_times reported_at(uint32_t why, uint32_t tid)
{
	struct off_cpu_times sum = { 0 };

	for (size_t i = 0; find_record(OFF_CPU_TIMES, i); i++) {
		const struct off_cpu_times_record *record = find_record(OFF_CPU_TIMES, i);

		if ((why == OFF_CPU_CLOSE) == (record->why == OFF_CPU_CLOSE) &&
		    (!tid || record->tid == tid))
			add_times(&sum, &record->times);
	}
	return sum;
}

/* Threads that are born, wait, go from CPU to CPU, execute and end, by chance: what is reported for each
 * is what it did. */
static void test_times_add_up(void **state)
{
	struct off_cpu_times ended = { 0 }, reported;
	size_t alive = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		fork_by(i, &world.threads[i]);
		switch_to(i, &world.threads[i], TASK_RUNNING);
	}
	open_window();
	for (size_t i = 0; i < 20000; i++) {
		after(chance(1000));
		happen_on(chance(KERNEL_CPUS), &ended);
	}
	after(MS);
	close_window();
	reported = reported_at(OFF_CPU_EXIT, 0);
	assert_times(&reported, &ended);
	for (size_t i = 0; i < THREADS; i++) {
		reported = reported_at(OFF_CPU_CLOSE, world.threads[i].known.tid);
		assert_times(&reported, world.threads[i].state ? &world.threads[i].times
							       : &(struct off_cpu_times){ 0 });
		alive += world.threads[i].state != 0;
	}
	assert_true(alive > 2);
	assert_true(ended.waits > 1000 && ended.io_ns > 0 && ended.io_ns < ended.blocked_ns);
	for (uint32_t i = 0; i < KERNEL_CPUS; i++)
		assert_int_equal(counts_of(i).table_full, 0);
}

/* What happens before the window opens and after it closes has no time: of a thread that waits for
 * input, of one that was running or runnable, and of one that was born before all were looked at. */
static void test_only_the_window_is_counted(void **state)
{
	struct thread *waits = &world.threads[0], *either = &world.threads[4];
	struct thread *born = &world.threads[8];
	struct off_cpu_times reported;

	(void)state;
	waits->state = OFF_CPU_BLOCKED;
	waits->task.__state = STATE_SLEEPS;
	waits->task.in_iowait = 1;
	either->state = OFF_CPU_RUNNING;
	world.on_cpu[1] = either;
	fork_by(1, born);
	switch_to(2, born, TASK_RUNNING);
	after(MS);
	iterate(off_cpu_open);
	after(50 * MS);
	opened_ns = kernel.now_ns;
	after(WINDOW_NS);
	closed_ns = kernel.now_ns;
	after(20 * MS); /* what happens until the iterator comes to them */
	wake(1, waits);
	switch_to(1, waits, STATE_SLEEPS);
	kernel_records_clear();
	iterate(off_cpu_close);
	reported = reported_at(OFF_CPU_CLOSE, waits->known.tid);
	assert_int_equal(reported.blocked_ns, WINDOW_NS);
	assert_int_equal(reported.io_ns, WINDOW_NS);
	assert_int_equal(reported.running_ns + reported.runnable_ns, 0);
	reported = reported_at(OFF_CPU_CLOSE, either->known.tid);
	assert_int_equal(reported.running_ns + reported.runnable_ns, WINDOW_NS);
	assert_int_equal(reported.blocked_ns, 0);
	reported = reported_at(OFF_CPU_CLOSE, born->known.tid);
	assert_int_equal(reported.running_ns, WINDOW_NS);
	assert_int_equal(reported.runnable_ns + reported.blocked_ns, 0);
}

/* It becomes the first thread of its process, under that one's number. */
static void test_a_thread_that_executes_has_a_new_number(void **state)
{
	struct thread *thread, *waker;
	const struct off_cpu_times_record *record;

	(void)state;
	begin_pair(&thread, &waker);
	waker->task.pid = 101;
	exec(1);
	after(MS);
	switch_to(1, &world.idle[1], TASK_DEAD);
	record = find_record(OFF_CPU_TIMES, 0);
	assert_non_null(record);
	assert_int_equal(record->why, OFF_CPU_EXEC);
	assert_int_equal(record->tid, 104);
	record = find_record(OFF_CPU_TIMES, 1);
	assert_non_null(record);
	assert_int_equal(record->why, OFF_CPU_EXIT);
	assert_int_equal(record->tid, 101);
	assert_int_equal(record->times.running_ns, MS);
}

static void test_a_wait_that_the_window_cuts_off_is_open(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(6 * MS);
	close_window();
	assert_int_equal(count_records(OFF_CPU_WAIT), 1);
	assert_int_equal(wait_number(0)->tid, 100);
	assert_int_equal(wait_number(0)->flags, OFF_CPU_CAPTURED | OFF_CPU_OPEN);
	assert_int_equal(wait_number(0)->blocked_ns, 6 * MS);
	assert_int_equal(wait_number(0)->count, 3);
	assert_int_equal(count_records(OFF_CPU_TIMES), 2);
}

/* ---- which waits are recorded ---- */

/* Waits of the same length without end: what is recorded costs no more than the budget, and stands
 * for all of them within five standard errors. */
static void test_records_stand_for_all_waits_within_the_budget(void **state)
{
	enum { WAITS = 40000, WAIT_NS = 20 * US, RUN_NS = 5 * US };
	const double truth = (double)WAITS * WAIT_NS;
	double sum = 0, variance = 0;
	struct thread *thread, *waker;
	size_t waits = 0, periods = (size_t)WAITS * (WAIT_NS + RUN_NS) / OFF_CPU_PERIOD_NS;

	(void)state;
	begin_pair(&thread, &waker);
	for (size_t i = 0; i < WAITS; i++) {
		switch_to(0, &world.idle[0], STATE_SLEEPS);
		after(WAIT_NS);
		wake(0, thread);
		switch_to(0, thread, TASK_RUNNING);
		after(RUN_NS);
	}
	for (size_t i = 0; i < kernel.record_count; i++) {
		const struct off_cpu_wait_record *wait = kernel.records[i].data;
		double weight;

		if (wait->kind != OFF_CPU_WAIT)
			continue;
		assert_int_equal(wait->blocked_ns, WAIT_NS);
		assert_true(wait->draw_ns < WAIT_NS);
		weight = (double)off_cpu_weight(wait->threshold_ns, wait->blocked_ns);
		sum += weight;
		variance += weight * (weight - WAIT_NS);
		waits++;
	}
	assert_true(waits > 100);
	/* A period ends when its budget is spent, for some, until the threshold is high enough. */
	assert_true(kernel.record_count <= (periods + 32) * (OFF_CPU_BUDGET + 1));
	assert_true(fabs(sum - truth) < 5 * sqrt(variance));
}

/* A wait is kept when it is longer than its draw, whatever the draw is. */
static void test_a_wait_is_kept_when_it_is_longer_than_its_draw(void **state)
{
	const struct off_cpu_thread *known;
	struct off_cpu_cpu *cpu;
	struct thread *thread, *waker;
	__u32 zero = 0;

	(void)state;
	begin_pair(&thread, &waker);
	known = bpf_task_storage_get(&threads, &thread->task, NULL, 0);
	kernel.cpu = 0;
	cpu = bpf_map_lookup_elem(&cpus, &zero);
	for (int longer = 0; longer < 2; longer++) {
		kernel_records_clear();
		cpu->paces[1].threshold_ns = MS;
		cpu->paces[1].since_ns = kernel.now_ns;
		switch_to(0, &world.idle[0], STATE_SLEEPS);
		assert_int_equal(known->threshold_ns, MS);
		assert_true(known->draw_ns > 0 && known->draw_ns < MS);
		after(known->draw_ns + (uint64_t)longer);
		wake(0, thread);
		switch_to(0, thread, TASK_RUNNING);
		assert_int_equal(count_records(OFF_CPU_WAIT), longer);
	}
}

/* A user stack is taken where waits that began at the same place were long. */
static void test_stacks_are_taken_where_waits_are_long(void **state)
{
	enum { ROUNDS = 64, RARE = ROUNDS / 8 };
	static const uint64_t entries[] = { ENTRY_IP, ENTRY_IP + 1 };
	static const uint64_t durations_ns[] = { 5 * MS, 10 * US };
	struct thread *thread, *waker;
	struct off_cpu_cpu *cpu;
	size_t taken[2] = { 0, 0 };
	__u32 zero = 0;

	(void)state;
	begin_pair(&thread, &waker);
	kernel.cpu = 0;
	cpu = bpf_map_lookup_elem(&cpus, &zero);
	for (size_t i = 0; i < 2 * ROUNDS; i++) {
		kernel_records_clear();
		thread->registers.PROGRAM_COUNTER = entries[i % 2];
		cpu->paces[1] =
			(struct off_cpu_pace){ .threshold_ns = MS, .since_ns = kernel.now_ns };
		switch_to(0, &world.idle[0], STATE_SLEEPS);
		taken[i % 2] += count_records(OFF_CPU_LEFT);
		after(durations_ns[i % 2]);
		wake(0, thread);
		switch_to(0, thread, TASK_RUNNING);
	}
	assert_int_equal(taken[0], ROUNDS);
	/* Until it is known that they are short, and one of a hundred. */
	assert_true(taken[1] > 0 && taken[1] < RARE + ROUNDS / 16);
}

static void test_nothing_is_reported_of_others(void **state)
{
	__u32 pid = 100, one = 1;
	struct thread *family = &world.threads[0], *child = &world.threads[8];
	struct thread *stranger = &world.threads[4], *sleeper = &world.threads[5];

	(void)state;
	any_chosen = only_chosen = 1;
	bpf_map_update_elem(&chosen, &pid, &one, BPF_ANY);
	family->state = stranger->state = OFF_CPU_RUNNING;
	sleeper->state = OFF_CPU_BLOCKED;
	sleeper->task.__state = STATE_SLEEPS;
	open_window();
	world.on_cpu[0] = family;
	world.on_cpu[1] = stranger;
	fork_by(0, child); /* pid 102: by its parent */
	switch_to(0, child, TASK_RUNNING);
	switch_to(1, family, TASK_RUNNING);
	after(MS);
	wake(1, sleeper);
	switch_to(2, sleeper, TASK_RUNNING);
	switch_to(0, stranger, TASK_DEAD);
	switch_to(1, &world.idle[1], TASK_DEAD);
	switch_to(0, &world.idle[0], TASK_DEAD);
	close_window();
	assert_int_equal(count_records(OFF_CPU_TIMES), 2);
	for (size_t i = 0; find_record(OFF_CPU_TIMES, i); i++) {
		const struct off_cpu_times_record *record = find_record(OFF_CPU_TIMES, i);

		assert_int_not_equal(record->pid, 101);
	}
	for (size_t i = 0; find_record(OFF_CPU_WAIT, i); i++)
		assert_int_not_equal(wait_number(i)->pid, 101);
}

/* ---- what is lost ---- */

static void test_a_thread_without_memory_is_counted(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	kernel.elements_left = 0;
	fork_by(1, &world.threads[8]);
	fork_by(1, &world.threads[9]);
	switch_to(0, &world.threads[8], STATE_SLEEPS);
	switch_to(0, &world.threads[9], STATE_SLEEPS);
	switch_to(0, &world.idle[0], TASK_DEAD);
	assert_int_equal(counts_of(1).table_full, 2);
	assert_null(find_record(OFF_CPU_TIMES, 0));
	assert_null(find_record(OFF_CPU_WAIT, 0));
}

/* First its stack has no room, then nothing of it. */
static void test_a_full_ring_is_counted(void **state)
{
	const size_t head = offsetof(struct off_cpu_wait_record, addresses);
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	for (int round = 0; round < 2; round++) {
		switch_to(0, &world.idle[0], STATE_SLEEPS);
		after(3 * MS);
		wake(1, thread);
		kernel.output_left = round ? head - 1 : head;
		switch_to(0, thread, TASK_RUNNING);
		kernel.output_left = SIZE_MAX;
	}
	assert_int_equal(count_records(OFF_CPU_WAIT), 1);
	assert_int_equal(wait_number(0)->count, 0);
	assert_int_equal(wait_number(0)->blocked_ns, 3 * MS);
	assert_int_equal(counts_of(0).records, 2);
	assert_int_equal(counts_of(0).cut, 2);
	assert_int_equal(counts_of(0).lost, 1);
	assert_int_equal(counts_of(0).lost_weight_ns, 3 * MS);
	kernel.output_left = 0;
	switch_to(0, &world.idle[0], TASK_DEAD);
	assert_int_equal(counts_of(0).lost_times, 1);
}

/* A kernel that cannot walk: the wait is reported, without its stacks. */
static void test_a_stack_that_cannot_be_taken_costs_no_wait(void **state)
{
	struct thread *thread, *waker;

	(void)state;
	begin_pair(&thread, &waker);
	kernel.kernel_stack.error = kernel.user_stack.error = kernel.task_stack.error = -EFAULT;
	switch_to(0, &world.idle[0], STATE_SLEEPS);
	after(MS);
	wake(1, thread);
	switch_to(0, thread, TASK_RUNNING);
	assert_int_equal(wait_number(0)->flags, 0);
	assert_int_equal(wait_number(0)->count, 0);
	assert_int_equal(wait_number(0)->blocked_ns, MS);
	assert_int_equal(kernel.record_count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_wait_is_reported_with_its_parts_its_stacks_and_its_waker),
		TEST(test_a_preempted_thread_is_runnable_all_the_time),
		TEST(test_a_thread_that_is_preempted_as_it_decides_to_wait_is_runnable),
		TEST(test_who_woke_a_thread_before_does_not_wake_it_again),
		TEST(test_an_interrupt_of_an_idle_cpu_is_no_waker),
		TEST(test_the_stack_of_who_wakes_goes_with_it),
		TEST(test_how_a_thread_left_is_reported),
		TEST(test_a_wait_whose_waking_was_not_seen_is_blocked),
		TEST(test_a_stack_without_tables_is_copied),
		TEST(test_a_stack_without_tables_is_copied_by_calls),
		TEST(test_times_add_up),
		TEST(test_only_the_window_is_counted),
		TEST(test_a_thread_that_executes_has_a_new_number),
		TEST(test_a_wait_that_the_window_cuts_off_is_open),
		TEST(test_records_stand_for_all_waits_within_the_budget),
		TEST(test_a_wait_is_kept_when_it_is_longer_than_its_draw),
		TEST(test_stacks_are_taken_where_waits_are_long),
		TEST(test_nothing_is_reported_of_others),
		TEST(test_a_thread_without_memory_is_counted),
		TEST(test_a_full_ring_is_counted),
		TEST(test_a_stack_that_cannot_be_taken_costs_no_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
