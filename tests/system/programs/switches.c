/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switches block|stack|down|thread: 4 stacks that this program switches by its own instructions, in
 * one block of malloc(3), in an array on the thread's own stack (down: the highest first), or in a
 * block, by a thread. 5 times each: waiting(), during which the others run, and busy(), which takes
 * 1 ms and tells what it took: "busy SECONDS" in all. With left or left-on-stack each waits once
 * and for ever, in a block or on the thread's own stack, while the program spins for 50 ms and
 * ends. Exits with 7 if every call that returned did so to where it was called.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

/* FREE: so that the stacks are deeper than what runs as the program ends. */
enum { STACKS = 4, CALLS = 5, STACK = 65536, FREE = 16384 };

static void *scheduler, *stacks[STACKS];
static int current;
static double spent;
static volatile int turns;

/* Keeps what a function has to keep, and goes on where *to was left. */
void switch_stacks(void **from, void **to);

#if defined(__x86_64__)
__asm__(".text\n.globl switch_stacks\n.type switch_stacks, @function\nswitch_stacks:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp, (%rdi)\nmov (%rsi), %rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
	".size switch_stacks, . - switch_stacks\n");
enum { RETURN_AT = 6, FRAME_WORDS = 8 };
#else
__asm__(".text\n.globl switch_stacks\n.type switch_stacks, %function\nswitch_stacks:\n"
	"stp x29, x30, [sp, #-96]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\n"
	"stp x23, x24, [sp, #48]\nstp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
	"mov x9, sp\nstr x9, [x0]\nldr x9, [x1]\nmov sp, x9\n"
	"ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\n"
	"ldp x25, x26, [sp, #64]\nldp x27, x28, [sp, #80]\nldp x29, x30, [sp], #96\nret\n"
	".size switch_stacks, . - switch_stacks\n");
enum { RETURN_AT = 1, FRAME_WORDS = 12 };
#endif

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

/* The thread leaves its CPU before it leaves the stack. */
static void spin_and_sleep(void)
{
	const struct timespec pause = { 0, 1000 };

	for (double began = now(); now() - began < 0.001;)
		turns++;
	nanosleep(&pause, NULL);
}

NOINLINE int waiting(int n)
{
	spin_and_sleep();
	switch_stacks(&stacks[current], &scheduler);
	turns++;
	return n;
}

static void run_on_stack(void)
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
	for (;;)
		switch_stacks(&stacks[current], &scheduler);
}

struct way {
	const char *name;
	bool own_stack, in_thread, down, left;
};

static void run_stacks(char *block, const struct way *way)
{
	for (int i = 0; i < STACKS; i++) {
		int place = way->down ? STACKS - i : i + 1;
		void **top = (void **)(void *)(block + (size_t)place * STACK - FREE);

		top -= FRAME_WORDS;
		memset(top, 0, FRAME_WORDS * sizeof(*top));
		top[RETURN_AT] = (void *)run_on_stack;
		stacks[i] = top;
	}
	for (int round = 0; round <= (way->left ? 0 : CALLS); round++) {
		for (current = 0; current < STACKS; current++)
			switch_stacks(&scheduler, &stacks[current]);
	}
	for (double began = now(); way->left && now() - began < 0.05;)
		turns++;
	printf("busy %.9f\n", spent);
}

static void run_block(const struct way *way)
{
	char *block = (char *)malloc((size_t)STACKS * STACK);

	run_stacks(block, way);
	free(block);
}

static void *run_in_thread(void *argument)
{
	run_block((const struct way *)argument);
	return NULL;
}

static void run(struct way *way)
{
	char block[STACKS * STACK] __attribute__((aligned(16)));
	pthread_t thread;

	if (way->in_thread) {
		if (pthread_create(&thread, NULL, run_in_thread, way) != 0)
			abort();
		pthread_join(thread, NULL);
	} else if (way->own_stack) {
		run_stacks(block, way);
	} else {
		run_block(way);
	}
}

int main(int count, char **words)
{
	static struct way ways[] = {
		{ .name = "block" },
		{ .name = "thread", .in_thread = true },
		{ .name = "stack", .own_stack = true },
		{ .name = "down", .own_stack = true, .down = true },
		{ .name = "left", .left = true },
		{ .name = "left-on-stack", .own_stack = true, .left = true },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (count == 2 && strcmp(words[1], ways[i].name) == 0) {
			run(&ways[i]);
			return 7;
		}
	}
	return 2;
}
