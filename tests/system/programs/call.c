/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing but calls, of functions and through pointers. Usage: call SECONDS */
#include <stdlib.h>

#include "spin.h"

static NOINLINE uint64_t add(uint64_t a, uint64_t b)
{
	return a + b;
}

static NOINLINE uint64_t twist(uint64_t a, uint64_t b)
{
	return add(a ^ b, b >> 3);
}

static NOINLINE uint64_t descend(uint64_t depth, uint64_t value)
{
	uint64_t below = depth ? descend(depth - 1, value) : value;

	return twist(below, depth);
}

int main(int argc, char **argv)
{
	double wanted_ns = (argc > 1 ? atof(argv[1]) : 1) * 1e9;
	uint64_t (*volatile function)(uint64_t, uint64_t) = descend;
	uint64_t sum = 0;

	while ((double)spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < wanted_ns)
		for (int i = 0; i < 1000; i++)
			sum += function(20, sum);
	return sum == 1;
}
