/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function does all the work, for two callers, one of them at the end of a recursion. Prints what
 * share of the time each had it work (share, NAME and FRACTION with tabs between). Usage: callers
 * SECONDS
 */
#include <stdlib.h>

#include "spin.h"

/* After a call, so that it is not made the last jump of its caller. */
#define RETURN_HERE() __asm__ volatile("" ::: "memory")

enum { LEVELS = 20 };

void callers_work(uint64_t rounds);
void callers_straight(uint64_t rounds);
void callers_recursive(uint64_t rounds, int level);

NOINLINE void callers_work(uint64_t rounds)
{
	SPIN(rounds);
}

NOINLINE void callers_straight(uint64_t rounds)
{
	callers_work(rounds);
	RETURN_HERE();
}

NOINLINE void callers_recursive(uint64_t rounds, int level)
{
	if (level)
		callers_recursive(rounds, level - 1);
	else
		callers_work(rounds);
	RETURN_HERE();
}

int main(int argc, char **argv)
{
	double wanted_ns = (argc > 1 ? atof(argv[1]) : 1) * 1e9;
	uint64_t unit = spin_rounds_per_us() * 100, straight_ns = 0, recursive_ns = 0;
	uint32_t random = 12345;

	/* In random order: turns as long as the sampling period would be in step with it. */
	while ((double)(straight_ns + recursive_ns) < wanted_ns) {
		int is_straight = random >> 31;
		uint64_t start_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);

		if (is_straight)
			callers_straight(3 * unit);
		else
			callers_recursive(unit, LEVELS);
		*(is_straight ? &straight_ns : &recursive_ns) +=
			spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
		random = random * 1103515245 + 12345;
	}
	printf("share\tcallers_straight\t%.6f\n",
	       (double)straight_ns / (double)(straight_ns + recursive_ns));
	printf("share\tcallers_recursive\t%.6f\n",
	       (double)recursive_ns / (double)(straight_ns + recursive_ns));
	return 0;
}
