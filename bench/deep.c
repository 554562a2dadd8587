/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks for measuring what they cost, built without frame pointers.
 *   deep fixed FRAMES ROUNDS    fixed work below a stack of FRAMES frames, with all that is above
 *                               main
 *   deep paths LEVELS SECONDS   two ways at each level: 2^LEVELS different stacks, in random order
 * The first prints its own CPU time in seconds, the interrupts that hit it included.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define NOINLINE __attribute__((noipa)) /* nor made one of two that look alike */
/* What follows a call, so that it is none at a function's end. */
#define BARRIER() __asm__ volatile("" ::: "memory")

enum {
	ABOVE = 5, /* _start, two of libc, main, fixed_leaf */
	LEAF_ROUNDS = 2000,
};

static NOINLINE void spin(uint64_t rounds)
{
	for (uint64_t value = 1; rounds; rounds--) {
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(value));
	}
}

static NOINLINE void down(int depth, uint64_t rounds)
{
	if (depth > 0)
		down(depth - 1, rounds);
	else
		spin(rounds);
	BARRIER();
}

static void right(uint64_t path, int level);

static NOINLINE void left(uint64_t path, int level)
{
	if (level == 0)
		spin(LEAF_ROUNDS);
	else if (path & 1)
		right(path >> 1, level - 1);
	else
		left(path >> 1, level - 1);
	BARRIER();
}

static NOINLINE void right(uint64_t path, int level)
{
	if (level == 0)
		spin(LEAF_ROUNDS);
	else if (path & 1)
		right(path >> 1, level - 1);
	else
		left(path >> 1, level - 1);
	BARRIER();
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static void fixed(int frames, uint64_t rounds)
{
	struct rusage usage;

	down(frames > ABOVE ? frames - ABOVE - 1 : 0, rounds);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.6f\n", seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime));
}

static void paths(int levels, double seconds)
{
	struct timespec now;
	uint64_t random = 1, end_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
		 (uint64_t)(seconds * 1e9);
	do {
		for (int i = 0; i < 100; i++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			left(random >> 33, levels);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec < end_ns);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "fixed") == 0) {
		fixed(atoi(argv[2]), strtoull(argv[3], NULL, 10));
	} else if (argc == 4 && strcmp(argv[1], "paths") == 0) {
		paths(atoi(argv[2]), strtod(argv[3], NULL));
	} else {
		fputs("usage: deep fixed FRAMES ROUNDS | deep paths LEVELS SECONDS\n", stderr);
		return 2;
	}
	return 0;
}
