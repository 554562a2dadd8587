/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work ROUNDS PERCENT PHASES: functions that share the time by the work they do. The one called
 * "changed" does PERCENT of its work; "sometimes" (if PHASES is not 0) is a phase that comes and
 * goes by chance, each run its own.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static volatile uint64_t sink;

#define WORKER(name)                                                          \
	__attribute__((noinline)) static void name(long steps)                \
	{                                                                     \
		for (long i = 0; i < steps; i++)                              \
			sink = sink * 2862933555777941757ULL + 3037000493ULL; \
	}

WORKER(changed)
WORKER(large)
WORKER(middle)
WORKER(little)
WORKER(least)
WORKER(sometimes)

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100, percent = argc > 2 ? atol(argv[2]) : 100;
	long phases = argc > 3 ? atol(argv[3]) : 0;
	unsigned seed = (unsigned)getpid();

	for (long i = 0; i < rounds; i++) {
		changed(4000 * percent);
		large(300000);
		middle(150000);
		little(50000);
		least(10000);
		/* In one of ten stretches of 50 rounds. */
		if (i % 50 == 0)
			seed = seed * 1103515245 + 12345;
		if (phases && (seed >> 16) % 10 == 0)
			sometimes(400000);
	}
	return 0;
}
