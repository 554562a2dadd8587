/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks over the stacks of this program. The oracle is backtrace(3), which is libgcc's unwinder. */
#include "unwind/unwinder.h"

#include <alloca.h>
#include <elf.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "unwind/own_modules.h"

#if defined(__x86_64__)

enum { STACK_COPY = 1 << 20 };

struct both {
	struct modules *modules;
	size_t count, reference_count;
	enum stack_end end;
	uint64_t addresses[MAX_FRAMES];
	void *reference[MAX_FRAMES];
};

/* The registers here and now; the memory is our own. */
static void __attribute__((noinline, no_sanitize("address"))) look(struct both *both)
{
	struct unwind_registers registers = { .known = 1 << RBP | 1 << RSP };
	struct unwind_input input = { .machine = EM_X86_64,
				      .registers = &registers,
				      .stack_size = STACK_COPY,
				      .stack_cut = true,
				      .find = find_code,
				      .context = both->modules };

	both->reference_count = (size_t)backtrace(both->reference, MAX_FRAMES);
	asm volatile("lea 0(%%rip), %0\n"
		     "mov %%rsp, %1\n"
		     "mov %%rbp, %2\n"
		     : "=r"(registers.pc), "=m"(registers.values[RSP]),
		       "=m"(registers.values[RBP]));
	input.stack_address = registers.values[RSP];
	input.stack = (const void *)registers.values[RSP];
	both->count = unwinder_walk(&input, both->addresses, MAX_FRAMES, &both->end);
}

/* The same frames, but for the innermost: each was at its own place in look(). The sanitizer has a
 * frame of its own before backtrace's. */
static void assert_same(const struct both *both)
{
	size_t more = both->reference_count - both->count;

	assert_int_equal(both->end, STACK_COMPLETE);
	assert_in_range(more, 0, 1);
	for (size_t i = 1; i < both->count; i++)
		assert_int_equal(both->addresses[i] & ~UNWIND_EXACT,
				 (uint64_t)both->reference[more + i]);
}

static uint64_t NO_FRAME_POINTER recurse(struct both *both, int depth, uint64_t value)
{
	if (depth == 0)
		look(both);
	else
		value = recurse(both, depth - 1, value * 3) + value;
	return value + (uint64_t)depth;
}

static void recursion_without_frame_pointers(void **state)
{
	static struct both both;

	both.modules = *state;
	for (int depth = 0; depth <= 1000; depth += 200) {
		recurse(&both, depth, 1);
		assert_true(both.count > (size_t)depth + 2);
		assert_same(&both);
	}
}

/* Has to address its arguments and its variables from different registers. */
static uint64_t NO_FRAME_POINTER realigned(struct both *both, int depth, size_t room)
{
	volatile char aligned[64] __attribute__((aligned(64)));
	volatile char *variable = alloca(room);

	assert_int_equal((uintptr_t)aligned % 64, 0);
	aligned[0] = variable[0] = (char)depth;
	if (depth == 0)
		look(both);
	else
		realigned(both, depth - 1, room + 40);
	return (uint64_t)aligned[0] + (uint64_t)variable[0];
}

static void realigned_stacks(void **state)
{
	static struct both both;

	both.modules = *state;
	realigned(&both, 5, 100);
	assert_true(both.count > 7);
	assert_same(&both);
}

static struct both *interrupted; /* for the handler, which has no argument of its own */

static void handle(int number)
{
	(void)number;
	look(interrupted);
}

static void through_a_signal_handler(void **state)
{
	static struct both both;
	size_t exact = 0;

	both.modules = *state;
	interrupted = &both;
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	assert_same(&both);
	for (size_t i = 1; i < both.count; i++)
		exact += (both.addresses[i] & UNWIND_EXACT) != 0;
	assert_int_equal(exact, 2); /* what was interrupted, and what the handler returns to */
}

static int compare_and_look(const void *a, const void *b)
{
	look(interrupted);
	return *(const int *)a - *(const int *)b;
}

static void through_libc(void **state)
{
	static struct both both;
	int numbers[] = { 2, 1 };

	both.modules = *state;
	interrupted = &both;
	qsort(numbers, 2, sizeof(numbers[0]), compare_and_look);
	assert_same(&both);
}

static void *in_thread(void *context)
{
	recurse(context, 3, 1);
	return NULL;
}

static void from_the_start_of_a_thread(void **state)
{
	static struct both both;
	pthread_t thread;

	both.modules = *state;
	assert_int_equal(pthread_create(&thread, NULL, in_thread, &both), 0);
	pthread_join(thread, NULL);
	assert_same(&both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_without_frame_pointers),
		cmocka_unit_test(realigned_stacks),
		cmocka_unit_test(through_a_signal_handler),
		cmocka_unit_test(through_libc),
		cmocka_unit_test(from_the_start_of_a_thread),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

#else

int main(void)
{
	puts("this test walks over x86-64 stacks");
	return 77;
}

#endif
