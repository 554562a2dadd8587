/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does two things by turns in step with the clock, half a millisecond each: what a profiler that
 * samples every millisecond exactly sees only one of. Usage: rhythm SECONDS (of processor time).
 * Where others get the processor in step with that clock the halves are no halves: prints "share
 * rhythm_even FRACTION", of its processor time. */
#include <stdio.h>
#include <stdlib.h>

#include "spin.h"

void rhythm_even(uint64_t until);
void rhythm_odd(uint64_t until);

NOINLINE void rhythm_even(uint64_t until)
{
	while (spin_counter() < until)
		SPIN(20);
}

NOINLINE void rhythm_odd(uint64_t until)
{
	while (spin_counter() < until)
		SPIN(20);
}

int main(int argc, char **argv)
{
	double wanted_ns = (argc > 1 ? atof(argv[1]) : 1) * 1e9;
	uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC), start = spin_counter();
	uint64_t half, at, turn, sums[2] = { 0 };

	while (spin_clock_ns(CLOCK_MONOTONIC) - start_ns < 50000000)
		;
	at = spin_counter();
	half = (uint64_t)((double)(at - start) * 5e5 /
			  (double)(spin_clock_ns(CLOCK_MONOTONIC) - start_ns));
	start = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while ((double)start < wanted_ns) {
		rhythm_even(at += half);
		turn = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		sums[0] += turn - start;
		rhythm_odd(at += half);
		start = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		sums[1] += start - turn;
	}
	printf("share\trhythm_even\t%.6f\n", (double)sums[0] / (double)(sums[0] + sums[1]));
	spin_print_rusage(RUSAGE_SELF);
	return 0;
}
