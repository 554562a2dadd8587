/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hops: functions that go on in others by jumps, and how their calls end, as the program counts and
 * measures it: "count NAME COLUMN NUMBER", "inner NAME SECONDS" and "outer NAME SECONDS". C and C++.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))
#ifdef __cplusplus
#define PUBLIC extern "C" NOINLINE
#else
#define PUBLIC NOINLINE
#endif
/* What the compiler cannot see through. */
#define KEEP(n) __asm__ volatile("" : "+r"(n))

enum { CALLS = 70, SITES = 4096, DEPTH = 40, FAILURE = -5 };

static double within, began;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void spin(double seconds)
{
	for (double end = now() + seconds; now() < end;)
		;
}

/* ---- a chain: first goes on in second, that in third ---- */

PUBLIC int third(int n)
{
	spin(0.0003);
	within += now() - began;
	return n % 7 ? n : FAILURE;
}

PUBLIC int second(int n)
{
	KEEP(n);
	return third(n);
}

static int (*volatile pointed)(int) = second;

PUBLIC int first(int n)
{
	began = now();
	spin(0.0002);
	return pointed(n);
}

/* What the loader finds. */
PUBLIC int outside(const char *text)
{
	KEEP(text);
	return atoi(text);
}

static void run_chain(void)
{
	char text[] = "-5";
	double outer = 0;

	for (int i = 0; i < CALLS; i++) {
		double before = now();

		if (first(i) != (i % 7 ? i : FAILURE))
			abort();
		outer += now() - before;
		if (outside(text) != FAILURE)
			abort();
		spin(0.0002);
	}
	for (const char *name = "first\0second\0third\0"; *name; name += strlen(name) + 1)
		printf("count %s entries %d\ncount %s exits %d\ncount %s exits-jump %d\n"
		       "count %s abandoned 0\ncount %s end-not-seen 0\ncount %s errors %d\n",
		       name, CALLS, name, CALLS, name, CALLS, name, name, name, CALLS / 7);
	printf("count outside exits %d\ncount outside errors %d\n", CALLS, CALLS);
	printf("inner first %.9f\nouter first %.9f\nouter second %.9f\n", within, outer, outer);
}

/* ---- functions of one instruction ---- */

PUBLIC int target(int n)
{
	return n - 5;
}

#ifdef __cplusplus
extern "C" {
#endif
void nothing(void);
int hop(int n);
int skip(int n);
int often(int n);
#ifdef __cplusplus
}
#endif

#if defined(__x86_64__)
#define JUMP "jmp"
#else
#define JUMP "b"
#endif
__asm__(".text\n.globl nothing, hop, skip, often\n"
	".type nothing, %function\nnothing: ret\n.size nothing, . - nothing\n"
	".type hop, %function\nhop: " JUMP " target\n.size hop, . - hop\n"
	".type skip, %function\nskip: " JUMP " hop\n.size skip, . - skip\n"
	".type often, %function\noften: " JUMP " target\n.size often, . - often\n");

static void run_short(void)
{
	for (int i = 0; i < CALLS; i++) {
		nothing();
		if (skip(0) != FAILURE)
			abort();
	}
	for (const char *name = "nothing\0hop\0skip\0"; *name; name += strlen(name) + 1)
		printf("count %s entries %d\ncount %s exits %d\ncount %s exits-jump %d\n"
		       "count %s abandoned 0\ncount %s end-not-seen 0\n",
		       name, CALLS, name, CALLS, name, CALLS, name, name);
	printf("count hop errors %d\ncount skip errors %d\n", CALLS, CALLS);
}

/* ---- one function, thousands of places that call it ---- */

#define CALL	 sum += often(0);
#define CALLS_16 CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL
#define CALLS_256                                                                                 \
	CALLS_16 CALLS_16 CALLS_16 CALLS_16 CALLS_16 CALLS_16 CALLS_16 CALLS_16 CALLS_16 CALLS_16 \
		CALLS_16 CALLS_16 CALLS_16 CALLS_16 CALLS_16 CALLS_16

static volatile int sum;

/* One function with all of the places would take the compiler seconds. */
#define CALLER(name)                    \
	NOINLINE static void name(void) \
	{                               \
		CALLS_256 CALLS_256     \
	}
CALLER(call_a)
CALLER(call_b)
CALLER(call_c)
CALLER(call_d)
CALLER(call_e)
CALLER(call_f)
CALLER(call_g)
CALLER(call_h)

static void run_sites(void)
{
	static void (*const callers[])(void) = { call_a, call_b, call_c, call_d,
						 call_e, call_f, call_g, call_h };

	for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]); i++)
		callers[i]();
	if (sum != SITES * FAILURE)
		abort();
	printf("count often entries %d\ncount often exits %d\ncount often abandoned 0\n"
	       "count often end-not-seen 0\ncount often errors %d\n",
	       SITES, SITES, SITES);
}

/* ---- calls within calls, each ended by a jump ---- */

PUBLIC int deep(int n);

PUBLIC int last(int n)
{
	KEEP(n);
	return n + FAILURE;
}

PUBLIC int deep(int n)
{
	int below = n ? deep(n - 1) : FAILURE;

	if (below != FAILURE)
		abort();
	return last(0);
}

static void run_deep(void)
{
	for (int i = 0; i < CALLS; i++)
		deep(DEPTH - 1);
	for (const char *name = "deep\0last\0"; *name; name += strlen(name) + 1)
		printf("count %s entries %d\ncount %s exits %d\ncount %s exits-jump %d\n"
		       "count %s abandoned 0\ncount %s end-not-seen 0\ncount %s errors %d\n",
		       name, CALLS * DEPTH, name, CALLS * DEPTH, name, CALLS * DEPTH, name, name,
		       name, CALLS * DEPTH);
}

int main(void)
{
	run_chain();
	run_short();
	run_sites();
	run_deep();
	return 0;
}
