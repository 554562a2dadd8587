/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fibers separate|block|signals|thread: 4 fibers with stacks in mappings of their own, or in one
 * block, 5 times each: waiting(), during which the others run, and busy(), which takes 1 ms and
 * tells what it took: "busy SECONDS" in all. Or as many calls of interrupted(), which is
 * interrupted by handler() on a stack for signals, and handler() once leaves it by siglongjmp. Or
 * the first in a thread of its own. C and C++.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))

enum { FIBERS = 4, CALLS = 5, STACK = 65536 };

static ucontext_t scheduler, fibers[FIBERS];
static int current;
static double spent;
static volatile int turns;
static sigjmp_buf out;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

NOINLINE int busy(int n)
{
	for (double began = now(); now() - began < 0.001;)
		turns++;
	return n;
}

NOINLINE int waiting(int n)
{
	turns++;
	swapcontext(&fibers[current], &scheduler);
	turns++;
	return n;
}

static void run_fiber(void)
{
	for (int i = 0; i < CALLS; i++) {
		double began;

		if (waiting(i) != i)
			abort();
		began = now();
		if (busy(i) != i)
			abort();
		spent += now() - began;
	}
}

/* The first and the last page of a mapping are kept apart from others. */
static char *new_stack(char *block, int number)
{
	char *stack;

	if (block)
		return block + (size_t)number * STACK;
	stack = (char *)mmap(NULL, 3 * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack + STACK, STACK, PROT_READ | PROT_WRITE) != 0)
		abort();
	return stack + STACK;
}

static void run_fibers(char *block)
{
	for (int i = 0; i < FIBERS; i++) {
		getcontext(&fibers[i]);
		fibers[i].uc_stack.ss_sp = new_stack(block, i);
		fibers[i].uc_stack.ss_size = STACK;
		fibers[i].uc_link = &scheduler;
		makecontext(&fibers[i], run_fiber, 0);
	}
	for (int round = 0; round <= CALLS; round++) {
		for (current = 0; current < FIBERS; current++)
			swapcontext(&scheduler, &fibers[current]);
	}
	printf("busy %.9f\n", spent);
}

static void *run_in_thread(void *argument)
{
	run_fibers(NULL);
	return argument;
}

NOINLINE void handler(int number)
{
	turns += busy(number);
	if (turns < 0)
		siglongjmp(out, 1);
}

NOINLINE void leaver(int number)
{
	turns += number;
	siglongjmp(out, 1);
}

NOINLINE int interrupted(int n)
{
	raise(SIGUSR1);
	turns++;
	return busy(n);
}

static void run_signals(void)
{
	struct sigaction action;
	stack_t stack;

	memset(&action, 0, sizeof(action));
	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = new_stack(NULL, 0);
	stack.ss_size = STACK;
	sigaltstack(&stack, NULL);
	action.sa_handler = handler;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < FIBERS * CALLS; i++) {
		if (interrupted(i) != i)
			abort();
	}
	action.sa_handler = leaver;
	sigaction(SIGUSR1, &action, NULL);
	if (sigsetjmp(out, 1) == 0)
		interrupted(0);
	busy(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "separate";
	pthread_t thread;

	if (strcmp(how, "signals") == 0) {
		run_signals();
	} else if (strcmp(how, "thread") == 0) {
		if (pthread_create(&thread, NULL, run_in_thread, NULL) != 0)
			abort();
		pthread_join(thread, NULL);
	} else {
		run_fibers(strcmp(how, "block") == 0 ? (char *)malloc((size_t)FIBERS * STACK)
						     : NULL);
	}
	return 7;
}
