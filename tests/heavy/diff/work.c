/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work ROUNDS PERCENT PHASES: functions that share the time by the work they do. The one called
 * "changed" does PERCENT of its work; "sometimes" (if PHASES is not 0) is a phase that comes and
 * goes by chance, each run its own.
 *
 * A turn of a function is short against the time between two samples, and of random length: turns
 * of one length could be in step with the sampling. The lengths are the same in every run, so that
 * runs without phases do the same work.
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

/* xorshift64*: 0 <= number < 2^31. */
static long draw(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return (long)((*seed * 0x2545f4914f6cdd1dULL) >> 33);
}

/* @mean on average, 0 to twice that. */
static long about(long mean, uint64_t *seed)
{
	return (2 * mean * draw(seed)) >> 31;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100, percent = argc > 2 ? atol(argv[2]) : 100;
	long phases = argc > 3 ? atol(argv[3]) : 0, is_phase = 0;
	uint64_t lengths = 88172645463325252ULL;
	uint64_t chance = lengths ^ ((uint64_t)getpid() * 2862933555777941757ULL);

	for (long i = 0; i < rounds; i++) {
		changed(about(400 * percent, &lengths));
		large(about(30000, &lengths));
		middle(about(15000, &lengths));
		little(about(5000, &lengths));
		least(about(1000, &lengths));
		/* In one of ten stretches of 250 rounds. */
		if (phases && i % 250 == 0)
			is_phase = draw(&chance) % 10 == 0;
		if (is_phase)
			sometimes(40000);
	}
	return 0;
}
