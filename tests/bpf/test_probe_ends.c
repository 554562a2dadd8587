/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends of calls at probes of their own: returns, jumps, call sites, exceptions, longjmp. */
#include "probes_world.h"

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
	own_ends();
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
	own_ends();
	arm(MAIN_CODE);
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

	own_ends();
	call(F);
	jump_from(F);
	unwind_frame();
	assert_int_equal(settled(F).unseen, 1);
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
	own_ends();
	kernel_map_resize(&sites, 1);
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
	own_ends();
	kernel.output_left = 0;
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
	uint64_t sp;

	own_ends();
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
	assert_abandoned(G, 2 * MS);
	assert_abandoned(H, 2 * MS);
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
	uint64_t sp;

	own_ends();
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
	assert_abandoned(G, 3 * MS);
	assert_abandoned(H, 3 * MS);
	assert_int_equal(counted(G).timed + counted(H).timed, 2);
	assert_calls(F, 1, 5 * MS);
}

/* Its target is unknown, so is what an ending thread is still in. */
static void test_a_longjmp_to_an_unknown_place_leaves_a_doubt(void **state)
{
	struct probe_slot slot;

	own_ends();
	switch_to(0, &world.threads[1]);
	call(F);
	longjmp_to(0, 0x1111);
	exit_thread();
	slot = settled(F);
	assert_int_equal(slot.unseen, 1);
	assert_int_equal(slot.died, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_functions_own_return_ends_it),
		TEST(test_a_jump_ends_where_the_call_returns_to),
		TEST(test_a_new_site_is_reported),
		TEST(test_sites_without_room_are_counted),
		TEST(test_a_site_that_was_not_reported_is_reported_later),
		TEST(test_an_exception_ends_what_it_leaves),
		TEST(test_a_longjmp_ends_what_it_leaves),
		TEST(test_a_longjmp_to_an_unknown_place_leaves_a_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
