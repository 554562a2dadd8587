/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains CPU-SECONDS: makes chains of calls, and says of each thread which one it makes: the name of the
 * thread is "~" and a letter for each function, from the outermost to the leaf. Small letters call the next
 * letter, capital ones are leaves. A timer's signals interrupt it anywhere; their handler works for a while.
 * chains.py knows what each letter has on the stack.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif
#define EACH 400 /* times that a chain is made under its name */

typedef uint64_t step(const char *at, uint64_t value);

extern step *volatile steps[128];
extern volatile uint64_t sink;
volatile uint64_t sink;

/* The next letter of the chain. */
#define NEXT(value) steps[(int)at[1]](at + 1, (value))

/* ---- functions that call the next ---- */

APART uint64_t f_a(const char *at, uint64_t value)
{
	return NEXT(value + 1) ^ 3;
}

APART uint64_t f_large(const char *at, uint64_t value)
{
	volatile char room[5000];

	room[value % sizeof(room)] = (char)value;
	return NEXT(value) + (uint64_t)room[(value + 1) % sizeof(room)];
}

APART uint64_t f_alloca(const char *at, uint64_t value)
{
	volatile char *room = alloca(16 + value % 300);

	room[value % 16] = 1;
	return NEXT(value) + (uint64_t)room[value % 7];
}

APART uint64_t f_tail(const char *at, uint64_t value)
{
	sink += value;
	return NEXT(value * 5);
}

/* Live values for each register that calls keep. */
APART uint64_t f_registers(const char *at, uint64_t value)
{
	uint64_t a = value * 3, b = sink, c = value ^ b, d = a + c, e = b * d, f = a ^ e;

	value = NEXT(a + b);
	sink += a;
	value += NEXT(c + d) + d;
	return value + a * b + c * d + e * f;
}

/* Compilers set up the frame only on the way that needs it. */
APART uint64_t f_early(const char *at, uint64_t value)
{
	uint64_t got;

	if (at[1] == 0)
		return value;
	got = NEXT(value ^ 1);
	if (got % 3 == 0)
		return got + NEXT(got);
	return got;
}

APART uint64_t f_switch(const char *at, uint64_t value)
{
	switch (value % 8) {
	case 0:
		return NEXT(value) + 1;
	case 1:
		sink += 2;
		return NEXT(sink) * 3;
	case 2:
		return NEXT(value * 4) ^ value;
	case 3:
		sink ^= value;
		value += NEXT(value);
		return value - 1;
	case 4:
		return NEXT(5) + NEXT(6);
	case 5:
		return NEXT(value >> 3) + value;
	case 6:
		return value / (NEXT(7) | 1);
	default:
		return ~NEXT(value);
	}
}

/* The stack is aligned, with the frame's start in another register. */
APART uint64_t f_aligned(const char *at, uint64_t value)
{
	_Alignas(64) volatile char room[128];

	room[value % sizeof(room)] = 1;
	return NEXT(value) + (uint64_t)room[0];
}

APART uint64_t f_aligned_alloca(const char *at, uint64_t value)
{
	_Alignas(64) volatile char room[64];
	volatile char *more = alloca(32 + value % 100);

	room[value % sizeof(room)] = more[0] = 1;
	return NEXT(value) + (uint64_t)room[0] + (uint64_t)more[0];
}

/* Parameters on the stack: pushed before the call, dropped after it. */
APART uint64_t many(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		    uint64_t g, uint64_t h, const char *at)
{
	return NEXT(a + b + c + d) + e + f + g + h;
}

APART uint64_t f_many(const char *at, uint64_t value)
{
	uint64_t first = many(value, 1, 2, 3, 4, 5, 6, value, at);

	return first + many(first, first, 0, 0, 0, 0, first, 8, at);
}

__attribute__((noreturn, noinline, cold)) static void fail(uint64_t value)
{
	fprintf(stderr, "impossible %lu\n", (unsigned long)value);
	abort();
}

/* The call that does not return is the last instruction of the function, or of its cold part. */
APART uint64_t f_fails(const char *at, uint64_t value)
{
	uint64_t got = NEXT(value);

	if (sink == 0x123456789abcdef0)
		fail(got);
	if (at[1] == 0)
		__builtin_trap();
	return got + 1;
}

APART uint64_t recursive(const char *at, uint64_t value, int left)
{
	value = left ? recursive(at, value + 1, left - 1) : NEXT(value);
	__asm__ volatile("" : "+r"(value)); /* no loop */
	return value * 3;
}

/* Four frames of recursive. */
APART uint64_t f_recursive(const char *at, uint64_t value)
{
	return recursive(at, value, 3) + 1;
}

/* Comes back by a jump over two frames. */
struct leap {
	jmp_buf back;
	uint64_t got;
};

APART void leaps(const char *at, uint64_t value, struct leap *leap)
{
	leap->got = NEXT(value);
	longjmp(leap->back, 1);
}

APART uint64_t f_leaps(const char *at, uint64_t value)
{
	struct leap leap;

	if (_setjmp(leap.back) == 0)
		leaps(at, value, &leap);
	return leap.got;
}

APART double f_double_inner(const char *at, double a, double b)
{
	return a * b + (double)NEXT((uint64_t)a);
}

APART uint64_t f_double(const char *at, uint64_t value)
{
	double half = (double)(value % 1000) * 0.5;

	return (uint64_t)f_double_inner(at, half, half + 1);
}

struct large {
	uint64_t words[40];
};

/* Returned and handed on in memory. */
APART struct large structs(const char *at, struct large in)
{
	in.words[3] += NEXT(in.words[1]);
	return in;
}

APART uint64_t f_structs(const char *at, uint64_t value)
{
	struct large large = { .words = { value, value + 1 } };

	large = structs(at, large);
	return large.words[3];
}

/* ---- leaves ---- */

APART uint64_t f_Loop(const char *at, uint64_t value)
{
	(void)at;
	for (int i = 0; i < 40; i++)
		value = value * 31 + (value >> 7);
	return value;
}

/* Its room is below the stack pointer. */
APART uint64_t f_Below(const char *at, uint64_t value)
{
	volatile uint64_t room[8];

	(void)at;
	for (int i = 0; i < 8; i++)
		room[i] = value * (uint64_t)i;
	return room[value % 8];
}

APART uint64_t f_Large(const char *at, uint64_t value)
{
	volatile char room[3000];

	(void)at;
	for (size_t i = 0; i < sizeof(room); i += 64)
		room[i] = (char)value;
	return (uint64_t)room[value % sizeof(room)];
}

APART uint64_t tiny(uint64_t value)
{
	return value * 3 ^ sink;
}

APART uint64_t f_Tiny(const char *at, uint64_t value)
{
	(void)at;
	for (int i = 0; i < 8; i++)
		value += tiny(value);
	return value;
}

/* Written by hand, without a frame description: pushes and pops between its prologue and its epilogue, and
 * has the address after another call on its stack. */
uint64_t f_Push(const char *at, uint64_t value);

__asm__(".text\n"
	".type f_Push, @function\n"
	"f_Push: push %rbp\n"
	"	sub $40, %rsp\n"
	"	mov $8, %ecx\n"
	"	call 1f\n"
	"1:	pop %rax\n"
	"	mov %rax, 8(%rsp)\n"
	"2:	push %rsi\n"
	"	push %rbp\n"
	"	imul $3, %rsi, %rbp\n"
	"	pop %rbp\n"
	"	pop %rax\n"
	"	dec %ecx\n"
	"	jnz 2b\n"
	"	add $40, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	".size f_Push, . - f_Push\n");

APART int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

APART uint64_t f_Sort(const char *at, uint64_t value)
{
	uint64_t list[6] = { value, value * 5, 3, value ^ 77, 2, value + 9 };

	(void)at;
	qsort(list, 6, sizeof(list[0]), compare);
	return list[1];
}

/* A leaf that is left by a jump. */
APART uint64_t f_Over(const char *at, uint64_t value)
{
	sink ^= value;
	return f_Loop(at, value + 1);
}

APART uint64_t f_Strings(const char *at, uint64_t value)
{
	char text[64];

	snprintf(text, sizeof(text), "%lu", (unsigned long)value);
	return strlen(text) + (uint64_t)at[0];
}

step *volatile steps[128] = {
	['a'] = f_a,	     ['b'] = f_large,	['c'] = f_alloca,	  ['d'] = f_tail,
	['e'] = f_registers, ['f'] = f_early,	['g'] = f_switch,	  ['h'] = f_aligned,
	['i'] = f_many,	     ['j'] = f_fails,	['k'] = f_aligned_alloca, ['l'] = f_leaps,
	['m'] = f_double,    ['n'] = f_structs, ['r'] = f_recursive,	  ['A'] = f_Loop,
	['B'] = f_Below,     ['C'] = f_Large,	['D'] = f_Tiny,		  ['E'] = f_Push,
	['F'] = f_Sort,	     ['G'] = f_Over,	['H'] = f_Strings,
};

/* ---- the signal ---- */

APART void tick_leaf(int rounds)
{
	for (int i = 0; i < rounds; i++)
		sink += (uint64_t)i;
}

APART void on_tick(int number)
{
	tick_leaf(number * 5000);
	sink++;
}

/* ---- chains ---- */

static uint32_t draw(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random >> 8;
}

/* Each letter once, so that a stack says where in the chain it is. Those that call the next twice are few
 * enough in a row. */
static void make_chain(char chain[16], uint32_t *random)
{
	char callers[] = "abcdefghijklmnr";
	const char leaves[] = "ABCDEFGH";
	size_t left = strlen(callers), length = 1 + draw(random) % 9, at = 0;

	chain[at++] = '~';
	while (at <= length) {
		size_t which = draw(random) % left;

		chain[at++] = callers[which];
		callers[which] = callers[--left];
	}
	chain[at++] = leaves[draw(random) % strlen(leaves)];
	chain[at] = 0;
}

APART void run(uint64_t until_ns, uint32_t seed)
{
	struct timespec used;

	do {
		char chain[16];

		make_chain(chain, &seed);
		prctl(PR_SET_NAME, chain);
		for (int i = 0; i < EACH; i++)
			sink += steps[(int)chain[1]](chain + 1, sink);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	} while ((uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec < until_ns);
	sink++;
}

static void *run_thread(void *until_ns)
{
	run(*(const uint64_t *)until_ns, 7);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 4000 }, { 0, 4000 } };
	const struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	uint64_t until_ns = argc > 1 ? (uint64_t)(atof(argv[1]) * 5e8) : 0;
	pthread_t thread;

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	if (pthread_create(&thread, NULL, run_thread, &until_ns) != 0)
		return 1;
	run(until_ns, 1);
	pthread_join(thread, NULL);
	return 0;
}
