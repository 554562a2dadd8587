/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that end in another one by a jump, in a file with exception tables; what they took is
 * measured from within and from around: lines "inner NAME SECONDS" and "outer NAME SECONDS".
 */
#include <csetjmp>
#include <cstdlib>
#include <stdexcept>

#include "timed.h"

enum { CALLS = 100, SPIN_NS = 200000 };

static long inner_ns, began_ns;
static jmp_buf way_out;

/* Counts what has been spent since its caller began. */
extern "C" __attribute__((noinline)) int finish(int number)
{
	spin(SPIN_NS / 2);
	inner_ns += now_ns() - began_ns;
	if (number == -1)
		throw std::runtime_error("thrown");
	if (number == -2)
		longjmp(way_out, 1);
	return -5;
}

extern "C" __attribute__((noinline)) int direct(int number)
{
	began_ns = now_ns();
	spin(SPIN_NS);
	return finish(number);
}

static int (*volatile pointed)(int) = finish;

extern "C" __attribute__((noinline)) int indirect(int number)
{
	began_ns = now_ns();
	spin(SPIN_NS);
	return pointed(number);
}

/* Jumps to itself: a call that is many. */
extern "C" int again(int number);
static int (*volatile pointed_again)(int) = again;

extern "C" __attribute__((noinline)) int again(int number)
{
	__asm__ volatile("");
	return number ? pointed_again(number - 1) : -7;
}

/* What it is called through is not known before it is. */
extern "C" __attribute__((noinline)) int met(int number)
{
	spin(100 * SPIN_NS);
	return finish(number);
}

static int (*volatile pointed_met)(int) = met;

static void measure(const char *name, int (*function)(int), int number)
{
	long outer_ns = 0;

	inner_ns = 0;
	for (int i = 0; i < CALLS; i++) {
		long before_ns = now_ns();

		if (function == direct)
			direct(number);
		else
			indirect(number);
		outer_ns += now_ns() - before_ns;
		spin(SPIN_NS);
	}
	printf("inner %s %.9f\nouter %s %.9f\n", name, (double)inner_ns / NS_PER_S, name,
	       (double)outer_ns / NS_PER_S);
}

/* Ten that are left by an exception, ten by longjmp. */
static void abandon()
{
	volatile long before_ns = now_ns();

	for (volatile int i = 0; i < 10; i++) {
		try {
			direct(-1);
		} catch (const std::exception &) {
		}
	}
	printf("inner direct %.9f\nouter direct %.9f\n", (double)inner_ns / NS_PER_S,
	       (double)(now_ns() - before_ns) / NS_PER_S);
	inner_ns = 0;
	before_ns = now_ns();
	for (volatile int i = 0; i < 10; i++) {
		if (!setjmp(way_out))
			indirect(-2);
	}
	printf("inner indirect %.9f\nouter indirect %.9f\n", (double)inner_ns / NS_PER_S,
	       (double)(now_ns() - before_ns) / NS_PER_S);
}

int main(int count, char **words)
{
	if (count > 1 && *words[1] == 'a') {
		abandon();
		spin(NS_PER_S / 2);
		return 0;
	}
	measure("direct", direct, 1);
	measure("indirect", indirect, 1);
	for (int i = 0; i < 3; i++)
		again(9);
	for (int i = 0; i < 10; i++)
		pointed_met(1);
	return 0;
}
