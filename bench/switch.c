/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two processes on one CPU that wake each other through pipes, with a little work in between.
 * Usage: switch ROUNDS WORK. Prints switches, seconds, and the CPU seconds of both: what a profiler
 * does at each switch is in there.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(long rounds)
{
	for (long i = 0; i < rounds; i++)
		__asm__ volatile("" ::: "memory");
}

static void pass(int from, int to, long amount)
{
	char byte = 0;

	work(amount);
	if (to >= 0 && write(to, &byte, 1) != 1)
		_exit(1);
	if (from >= 0 && read(from, &byte, 1) != 1)
		_exit(1);
}

static double cpu_seconds(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[1]) : 0, amount = argc > 2 ? atol(argv[2]) : 0;
	struct timespec begin, end;
	int there[2], back[2];
	cpu_set_t cpus;

	if (rounds <= 0 || pipe(there) != 0 || pipe(back) != 0) {
		fputs("usage: switch ROUNDS WORK\n", stderr);
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (fork() == 0) {
		for (long i = 0; i < rounds; i++) {
			pass(there[0], -1, 0);
			pass(-1, back[1], amount);
		}
		_exit(0);
	}
	for (long i = 0; i < rounds; i++)
		pass(back[0], there[1], amount);
	wait(NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%ld %.6f %.6f\n", 2 * rounds,
	       (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
	       cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN));
	return 0;
}
