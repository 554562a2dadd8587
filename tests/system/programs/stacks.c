/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of known shape. Usage: stacks SHAPE CPU-SECONDS [DEPTH]
 *   recursion  main > down, DEPTH of them > leaf
 *   uneven     the same with frames of different sizes, some realigned
 *   signal     main > interrupted > handler (from an interval timer) > leaf
 *   altstack   the same with the handler on a stack of its own
 *   thread     worker > leaf, in a thread
 *   clock      main > ask, which asks the vdso's clock
 *   calls      main > calls > tiny, a function of a few instructions: half of the samples are in a
 *              prologue, an epilogue or before the call
 *   plt        main > through_plt > a function of libc by the PLT
 *   system     main > ask_kernel > getrandom by syscall(2), which keeps the kernel busy
 *   trampoline main > through_trampoline > code made at run time, without a frame pointer > leaf
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "spin.h"

enum { ROUNDS = 20000 };

static volatile uint64_t sink;
static uint64_t end_ns;

/* In processor time: as many samples on a busy machine as on an idle one. */
static NOINLINE int is_over(void)
{
	return spin_clock_ns(CLOCK_PROCESS_CPUTIME_ID) >= end_ns;
}

NOINLINE void leaf(void)
{
	SPIN(ROUNDS);
}

/* Not a tail call, whatever the optimizer would like. */
#define BARRIER() __asm__ volatile("" ::: "memory")

NOINLINE void down(int depth)
{
	if (depth > 1)
		down(depth - 1);
	else
		while (!is_over())
			leaf();
	BARRIER();
}

/* A frame whose size is not known before it runs, and one that must be aligned more than the
 * stack is: both are found by the frame pointer only while they last. */
NOINLINE void uneven(int depth)
{
	_Alignas(64) volatile char aligned[64];
	volatile char *room = __builtin_alloca((size_t)(depth % 7) * 16 + 16);

	room[0] = aligned[0] = (char)depth;
	if (depth > 1)
		uneven(depth - 1);
	else
		while (!is_over())
			leaf();
	sink += (uint64_t)room[0];
	BARRIER();
}

static volatile sig_atomic_t handled = 1;

NOINLINE void handler(int number)
{
	(void)number;
	for (int i = 0; i < 200; i++)
		leaf();
	handled = 1;
	BARRIER();
}

static int handler_flags;

static void give_handlers_a_stack(void)
{
	static char room[64 * 1024];
	const stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&stack, NULL);
	handler_flags = SA_ONSTACK;
}

/* The next signal is ordered when the handler has returned: where it takes longer than the timer,
 * the program gets on all the same. */
NOINLINE void interrupted(void)
{
	const struct itimerval once = { { 0, 0 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = handler_flags;
	sigaction(SIGALRM, &action, NULL);
	while (!is_over()) {
		if (handled) {
			handled = 0;
			setitimer(ITIMER_REAL, &once, NULL);
		}
		SPIN(ROUNDS);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	BARRIER();
}

NOINLINE void *worker(void *nothing)
{
	while (!is_over())
		leaf();
	BARRIER();
	return nothing;
}

NOINLINE void ask(void)
{
	for (int i = 0; i < 1000; i++)
		sink += spin_clock_ns(CLOCK_MONOTONIC);
	BARRIER();
}

NOINLINE uint64_t tiny(uint64_t a, uint64_t b)
{
	volatile uint64_t kept[2] = { a, b };

	return kept[0] + kept[1];
}

NOINLINE void calls(void)
{
	for (uint64_t i = 0; i < 2000; i++)
		sink += tiny(i, i);
	BARRIER();
}

NOINLINE void through_plt(void)
{
	for (int i = 0; i < 2000; i++)
		sink += (uint64_t)labs(-(long)i) + (uint64_t)strlen((const char *)"abc" + i % 3) +
			(uint64_t)rand();
	BARRIER();
}

NOINLINE void ask_kernel(void)
{
	static char bytes[4096];

	for (int i = 0; i < 100; i++)
		sink += (uint64_t)syscall(SYS_getrandom, bytes, sizeof(bytes), 0);
	BARRIER();
}

#if defined(__x86_64__)

static void (*trampoline)(void (*work)(void));

/* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
static void make_trampoline(void)
{
	static const unsigned char code[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
					      0x48, 0x83, 0xc4, 0x08, 0xc3 };
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		exit(2);
	memcpy(page, code, sizeof(code));
	trampoline = (void (*)(void (*)(void)))page;
}

NOINLINE void through_trampoline(void)
{
	if (!trampoline)
		make_trampoline();
	trampoline(leaf);
	BARRIER();
}

#else

NOINLINE void through_trampoline(void)
{
	exit(2);
}

#endif

static NOINLINE void repeat(void (*work)(void))
{
	while (!is_over())
		work();
	BARRIER();
}

static int in_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, worker, NULL) || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";
	int depth = argc > 3 ? atoi(argv[3]) : 1;

	if (argc < 3)
		return 2;
	end_ns = (uint64_t)(atof(argv[2]) * 1e9);
	if (strcmp(shape, "altstack") == 0)
		give_handlers_a_stack();
	if (strcmp(shape, "recursion") == 0)
		down(depth);
	else if (strcmp(shape, "uneven") == 0)
		uneven(depth);
	else if (strcmp(shape, "signal") == 0 || strcmp(shape, "altstack") == 0)
		interrupted();
	else if (strcmp(shape, "thread") == 0)
		return in_thread();
	else if (strcmp(shape, "clock") == 0)
		repeat(ask);
	else if (strcmp(shape, "calls") == 0)
		repeat(calls);
	else if (strcmp(shape, "plt") == 0)
		repeat(through_plt);
	else if (strcmp(shape, "system") == 0)
		repeat(ask_kernel);
	else if (strcmp(shape, "trampoline") == 0)
		repeat(through_trampoline);
	else
		return 2;
	return 0;
}
