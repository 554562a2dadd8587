/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls THREADS ROUNDS: each of so many threads does so many times, each on another CPU than the
 * time before: a read of one byte, a sleep of 1 ms, a page touched for the first time, and a read
 * that fails. Says how long its sleeps lasted at least, in ns.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64, SLEEP_NS = 1000 * 1000 };

static long rounds, cpus;
static char *volatile nowhere = (char *)8;

static long failed; /* reads */

static void go_to(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	/* A CPU of a guest may be late. */
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static void *run(void *number)
{
	long page = sysconf(_SC_PAGESIZE);
	int zero = open("/dev/zero", O_RDONLY);
	char *memory = mmap(NULL, (size_t)(rounds * page), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || zero < 0)
		exit(1);
	madvise(memory, (size_t)(rounds * page), MADV_NOHUGEPAGE);
	for (long i = 0; i < rounds; i++) {
		const struct timespec time = { 0, SLEEP_NS };
		char byte;

		go_to((i + (intptr_t)number) % cpus);
		if (read(zero, &byte, 1) != 1)
			exit(1);
		nanosleep(&time, NULL);
		memory[i * page] = 1;
		if (read(zero, nowhere, 1) < 0)
			__atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	long count = argc > 2 ? atol(argv[1]) : 0;

	if (count < 1 || count > MAX_THREADS)
		return 2;
	rounds = atol(argv[2]);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	for (long i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i) != 0)
			return 1;
	}
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("failed\t%ld\n", failed);
	printf("slept\t%ld\n", count * rounds * SLEEP_NS);
	return 0;
}
