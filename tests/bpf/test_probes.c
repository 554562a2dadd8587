/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which calls are counted, what is counted of each, and in which row. */
#include "probes_world.h"

/* ---- entries and exits ---- */

static void test_a_call_is_timed_from_its_entry_to_its_exit(void **state)
{
	call(F);
	after(3 * MS);
	call(G);
	after(2 * MS);
	assert_int_equal(counted(F).open, probe_open_word(opened_ns, opened_ns));
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

	for (int i = 0; i < PROBE_MAX_DEPTH + DEEPER; i++)
		call(F);
	here()->sp += (uint64_t)DEEPER * (FRAME_BYTES + 8);
	for (int i = 0; i < PROBE_MAX_DEPTH; i++)
		come_back(F);
	slot = settled(F);
	assert_int_equal(slot.entries, PROBE_MAX_DEPTH + DEEPER);
	assert_int_equal(slot.too_deep, DEEPER);
	assert_int_equal(slot.exits, PROBE_MAX_DEPTH);
}

static void test_a_return_without_an_entry_is_unmatched(void **state)
{
	come_back(F);
	call(G);
	come_back(F);
	assert_int_equal(counted(F).unmatched, 2);
	assert_int_equal(counted(F).exits, 0);
}

/* The kernel did not see G's return. */
static void test_a_missed_return_has_no_time(void **state)
{
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
	assert_abandoned(G, 0);
	assert_int_equal(counted(G).virtual_ns + counted(G).timed, 0);
}

static void test_a_jump_out_is_noticed_at_the_next_call(void **state)
{
	call(F);
	call(G);
	call(H);
	unwind_frame();
	unwind_frame(); /* a longjmp into F */
	after(MS);
	call(H);
	for (uint32_t target = G; target <= H; target++) {
		assert_int_equal(counted(target).abandoned, 1);
		assert_int_equal(counted(target).wall_ns, 0);
	}
	come_back(H);
	come_back(F);
	assert_int_equal(settled(H).exits, 1);
	assert_calls(F, 1, MS);
}

static void test_a_call_takes_the_place_of_one_that_was_abandoned(void **state)
{
	call(G);
	after(MS);
	unwind_frame();
	call_for(G, MS);
	assert_abandoned(G, MS);
	assert_int_equal(counted(G).nested, 0);
}

/* F jumps to G: both have the same frame, and return at once. */
static void test_a_tail_call_ends_with_what_it_called(void **state)
{
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

static int switches_left;

static void switch_again_and_again(void)
{
	switch_away_and_back();
	if (--switches_left)
		kernel.at_clock = switch_again_and_again;
}

static void test_a_switch_amid_a_program_is_no_time_on_a_cpu(void **state)
{
	call(G);	   /* so that the thread is known */
	switches_left = 3; /* on a busy machine it loses the CPU again as soon as it is back */
	kernel.at_clock = switch_again_and_again;
	call(F);
	after(MS);
	kernel.at_clock = switch_away_and_back;
	come_back(F);
	come_back(G);
	assert_int_equal(counted(F).virtual_ns, MS);
	assert_int_equal(counted(G).virtual_ns, MS);
	assert_int_equal(counted(F).running, 0);
}

/* Its time may then be wrong, but it has an end. */
static void test_a_call_that_is_switched_all_the_time_counts(void **state)
{
	switches_left = 100;
	kernel.at_clock = switch_again_and_again;
	call(F);
	kernel.at_clock = NULL;
	come_back(F);
	assert_int_equal(counted(F).exits, 1);
	assert_int_equal(counted(F).open, 0);
	assert_int_equal(counted(F).running, 0);
}

/* The CPU's counter goes on while another thread is there. */
static void test_a_counter_is_that_of_the_threads_own_time(void **state)
{
	static const __u8 kinds[PROBE_SLOT_COUNTERS] = { PROBE_WIRE_PMU };

	KERNEL_SET(counter_count, 1);
	kernel_set(counter_kinds, kinds, sizeof(kinds));
	kernel.event_count = KERNEL_CPUS;
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

static void test_a_call_may_end_with_its_thread(void **state)
{
	struct probe_slot slot;

	switch_to(2, &world.threads[1]);
	call(F);
	after(MS);
	switch_to(2, &world.idle[2]);
	after(MS);
	switch_to(1, &world.threads[1]);
	after(MS);
	exit_thread();
	slot = settled(F);
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

	call(F);
	after(MS);
	arguments[0] = (uintptr_t)&here()->task;
	KERNEL_RUN(probe_exec(arguments));
	slot = settled(F);
	assert_int_equal(slot.died, 1);
	assert_int_equal(slot.wall_ns, 0);
}

static void test_a_thread_without_memory_is_counted(void **state)
{
	kernel.elements_left = 0;
	call_for(F, 0);
	assert_int_equal(threads_lost, 1);
	assert_int_equal(counted(F).entries, 1);
	assert_int_equal(counted(F).exits, 0);
}

/* ---- the window ---- */

static void test_only_what_enters_in_the_window_is_counted(void **state)
{
	phase = PROBE_NOT_YET;
	call(F);
	phase = PROBE_OPEN;
	call_for(G, 0);
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

	switch_to(2, &world.threads[1]);
	for (int i = 0; i < 3; i++) {
		call_for(F, 100 * US);
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
	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_ON_CONDITION);
	set_steps((const void *)(uintptr_t)&entry_steps,
		  (struct probe_step){ .kind = PROBE_STEP_LESS,
				       .operand = PROBE_OPERAND_ARGUMENT,
				       .bits = 32,
				       .sign = 1,
				       .constants = { 3 } });
	for (uint64_t i = 0; i < 8; i++) {
		call_with(F, MAIN_CODE, i % 2 ? i : -i & 0xffffffff);
		after(MS);
		come_back(F);
	}
	assert_calls(F, 5, 5 * MS); /* 0, 1, -2, -4, -6 */
}

static void count_what_returns_7(void)
{
	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_DO_VIRTUAL | PROBE_ON_RETURN);
	set_steps((const void *)(uintptr_t)&return_steps,
		  (struct probe_step){ .kind = PROBE_STEP_EQUAL,
				       .operand = PROBE_OPERAND_RETURNED,
				       .bits = 64,
				       .constants = { 7 } });
	returns(F, PROBE_WIRE_SIGNED, 8);
}

static void test_what_is_returned_decides_at_the_exit(void **state)
{
	count_what_returns_7();
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

static void test_switches_amid_a_program_are_no_time_of_undecided_calls(void **state)
{
	count_what_returns_7();
	for (int i = 0; i < 2; i++) {
		switches_left = 3;
		kernel.at_clock = i ? NULL : switch_again_and_again;
		call(F);
		after(MS);
		switches_left = 3;
		kernel.at_clock = i ? switch_again_and_again : NULL;
		come_back_with(F, 7);
		assert_int_equal(counted(F).virtual_ns, (uint64_t)(i + 1) * MS);
	}
}

static void test_only_wanted_processes_count(void **state)
{
	struct task_struct child = { .tgid = 200 };
	__u32 pid = PROCESS;
	__u64 any = PROBE_ANY_PROCESS;
	__u64 arguments[] = { 0, (uintptr_t)&child };

	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_ONLY_PIDS);
	call_for(F, 0);
	assert_int_equal(counted(F).entries, 0);
	bpf_map_update_elem(&wanted_pids, &pid, &any, BPF_ANY);
	call_for(F, 0);
	assert_calls(F, 1, 0);
	KERNEL_RUN(probe_fork(arguments));
	world.threads[1].known.pid = 200;
	switch_to(0, &world.threads[1]);
	call_for(F, 0);
	assert_calls(F, 2, 0);
}

/* ---- rows ---- */

static void test_each_thread_has_a_row_until_there_are_none(void **state)
{
	const struct probe_row_name *name;
	__u32 index = 1;

	KERNEL_SET(row_key, PROBE_WIRE_THREAD);
	kernel_map_resize(&keys, 2);
	kernel_map_resize(&row_names, 2);
	for (size_t i = 0; i < 3; i++) {
		switch_to(0, &world.threads[i]);
		call_for(F, 0);
		call_for(F, 0);
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

	KERNEL_SET(todo, PROBE_DO_EXITS | PROBE_DO_MOVED);
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		switch_to(cpus[i], &world.threads[0]);
		call_for(F, 0);
		switch_to(cpus[i], &world.idle[cpus[i]]);
	}
	assert_int_equal(counted(F).moved, 2);
}

/* ---- the kernel's functions ---- */

static void test_a_function_of_the_kernel_is_timed(void **state)
{
	static uint64_t stack[16];
	struct pt_regs at_entry = { .rsp = (uintptr_t)&stack[8] };
	struct pt_regs at_exit = { .rsp = (uintptr_t)&stack[9], .rax = (uint64_t)-2 };

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

	kernel.cookie = F;
	KERNEL_RUN(probe_entry(&at_entry));
	call_for(G, 0);
	assert_int_equal(settled(F).abandoned, 1);
}

static void test_only_entries_are_counted_where_no_more_is_wanted(void **state)
{
	struct pt_regs regs = { .rsp = STACKS_AT };

	KERNEL_SET(todo, 0);
	set_cookie(F, 0);
	KERNEL_RUN(probe_only(&regs));
	KERNEL_RUN(probe_fentry_only(&regs));
	assert_int_equal(counted(F).entries, 2);
	assert_int_equal(kernel_map_count(&threads), 0);
}

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
		TEST(test_a_call_that_is_switched_all_the_time_counts),
		TEST(test_switches_amid_a_program_are_no_time_of_undecided_calls),
		TEST(test_a_counter_is_that_of_the_threads_own_time),
		TEST(test_a_call_may_end_with_its_thread),
		TEST(test_exec_ends_the_calls_of_the_program_before),
		TEST(test_a_thread_without_memory_is_counted),
		TEST(test_only_what_enters_in_the_window_is_counted),
		TEST(test_values_and_errors_are_counted),
		TEST(test_times_are_in_their_buckets),
		TEST(test_a_condition_decides_at_the_entry),
		TEST(test_what_is_returned_decides_at_the_exit),
		TEST(test_only_wanted_processes_count),
		TEST(test_each_thread_has_a_row_until_there_are_none),
		TEST(test_a_thread_that_enters_on_another_cpu_has_moved),
		TEST(test_a_function_of_the_kernel_is_timed),
		TEST(test_a_program_that_calls_is_not_in_the_kernel),
		TEST(test_only_entries_are_counted_where_no_more_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
