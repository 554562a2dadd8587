/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits as they are reported, with their stacks; which of them; what is lost. */
#include "off_cpu_world.h"

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
	switch_to(0, &world.idle[0], TASK_FROZEN);
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
	assert_int_equal(wait_number(2)->flags, OFF_CPU_STOPPED | OFF_CPU_CAPTURED);
	assert_int_equal(wait_number(3)->flags, OFF_CPU_KERNEL_THREAD);
	assert_int_equal(wait_number(3)->user_ip, 0);
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
