/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls on stacks beside the thread's own: of handlers, fibers and goroutines. */
#include "probes_world.h"

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

	world.threads[0].task.sas_ss_sp = world.threads[1].stack_at;
	world.threads[0].task.sas_ss_size = STACK_SIZE;
	call(F);
	after(MS);
	sp = here()->sp;
	here()->sp = world.threads[1].stack_at + 4096; /* a handler, on the other stack */
	call_for(G, MS);
	here()->sp = sp;
	come_back(F);
	assert_calls(F, 1, 2 * MS);
	assert_calls(G, 1, MS);
}

/* Out of a handler by siglongjmp: the thread goes on on its own stack. */
static void test_a_handler_that_was_left_is_no_more(void **state)
{
	uint64_t sp;

	world.threads[0].task.sas_ss_sp = world.threads[1].stack_at;
	world.threads[0].task.sas_ss_size = STACK_SIZE;
	call(F);
	sp = here()->sp;
	here()->sp = world.threads[1].stack_at + 4096;
	call(G);
	here()->sp = sp;
	call_for(H, 0);
	come_back(F);
	assert_int_equal(settled(G).abandoned, 1);
	assert_calls(F, 1, 0);
	assert_calls(H, 1, 0);
}

/* Two fibers of one thread: each call returns in its own, whatever runs between. */
static void test_calls_of_fibers_return_in_their_own_stack(void **state)
{
	struct probe_slot slot;
	uint64_t own, first;

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
		slot = settled(target);
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
	begin_go();
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
	begin_go();
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

	begin_go();
	go_enter(0, 1, F);
	after(MS);
	at_spot(F, PROBE_SPOT_GOEXIT, registers_of(0, 2));
	slot = settled(F);
	assert_int_equal(slot.died, 1);
	assert_int_equal(slot.wall_ns, MS);
	assert_int_equal(kernel_map_count(&goroutines), 0);
}

/* Its end was not seen: another one has its place, and a number of its own. */
static void test_a_goroutine_in_anothers_place_has_none_of_its_calls(void **state)
{
	struct probe_slot slot;

	begin_go();
	go_enter(0, 1, F);
	after(MS);
	goroutine_words[0][GO_GOID / 8] = 99;
	go_enter(0, 2, F);
	after(MS);
	go_return(0, 2, F);
	slot = settled(F);
	assert_int_equal(slot.died, 1);
	assert_int_equal(slot.exits, 1);
	assert_int_equal(slot.nested, 0);
	assert_int_equal(slot.wall_ns, MS); /* of the second: when the first ended is unknown */
}

static void test_goroutines_end_with_their_process(void **state)
{
	struct probe_slot slot;

	begin_go();
	go_enter(0, 1, F);
	go_enter(1, 1, F);
	after(MS);
	world.signals.live.counter = 0;
	exit_thread();
	slot = settled(F);
	assert_int_equal(slot.died, 2);
	assert_int_equal(slot.wall_ns, 2 * MS);
	assert_int_equal(kernel_map_count(&goroutines), 0);
}

static void test_goroutines_without_room_are_counted(void **state)
{
	begin_go();
	kernel_map_resize(&goroutines, 1);
	go_enter(0, 1, F);
	go_enter(1, 1, F);
	assert_int_equal(threads_lost, 1);
	go_return(0, 1, F);
	go_enter(1, 1, F);
	assert_int_equal(threads_lost, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_calls_on_the_stack_for_signals_are_apart),
		TEST(test_a_handler_that_was_left_is_no_more),
		TEST(test_calls_of_fibers_return_in_their_own_stack),
		TEST(test_a_goroutine_takes_its_calls_from_thread_to_thread),
		TEST(test_a_goroutines_stack_may_move),
		TEST(test_a_goroutine_that_ends_ends_its_calls),
		TEST(test_a_goroutine_in_anothers_place_has_none_of_its_calls),
		TEST(test_goroutines_end_with_their_process),
		TEST(test_goroutines_without_room_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
