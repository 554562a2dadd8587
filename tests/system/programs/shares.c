/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three functions that take 20, 30 and 50 % of the time, in random order. Prints what share of the
 * thread's processor time each really took (share, NAME and FRACTION with tabs between), and the
 * rusage. The names begin with PREFIX, so that two builds can be told apart. Usage: shares SECONDS
 */
#include <stdlib.h>

#include "spin.h"

#ifndef PREFIX
#define PREFIX burn
#endif
#define JOIN_(a, b)  a##_##b
#define JOIN(a, b)   JOIN_(a, b)
#define TEXT_(a)     #a
#define TEXT(a)	     TEXT_(a)
#define NAME(suffix) JOIN(PREFIX, suffix)

void NAME(twenty)(uint64_t rounds);
void NAME(thirty)(uint64_t rounds);
void NAME(fifty)(uint64_t rounds);

NOINLINE void NAME(twenty)(uint64_t rounds)
{
	SPIN(rounds);
}

NOINLINE void NAME(thirty)(uint64_t rounds)
{
	SPIN(rounds);
}

NOINLINE void NAME(fifty)(uint64_t rounds)
{
	SPIN(rounds);
}

int main(int argc, char **argv)
{
	static void (*const functions[])(uint64_t) = { NAME(twenty), NAME(thirty), NAME(fifty) };
	static const char *const names[] = { TEXT(NAME(twenty)), TEXT(NAME(thirty)),
					     TEXT(NAME(fifty)) };
	static const unsigned share[] = { 2, 3, 5 };
	double wanted_ns = (argc > 1 ? atof(argv[1]) : 1) * 1e9;
	uint64_t unit = spin_rounds_per_us() * 100, spent_ns[3] = { 0 }, sum_ns = 0;
	uint32_t random = 12345;

	while ((double)sum_ns < wanted_ns) {
		unsigned which = (random >> 16) % 3;
		uint64_t start_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);

		functions[which](unit * share[which]);
		spent_ns[which] += spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
		sum_ns = spent_ns[0] + spent_ns[1] + spent_ns[2];
		random = random * 1103515245 + 12345;
	}
	for (int i = 0; i < 3; i++)
		printf("share\t%s\t%.6f\n", names[i], (double)spent_ns[i] / (double)sum_ns);
	spin_print_rusage(RUSAGE_SELF);
	return 0;
}
