/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads with names that share the time unequally; prints share, NAME and FRACTION with tabs
 * between, by each thread's own clock. Usage: threads SECONDS [FILE], at the latest
 * until FILE is there. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "spin.h"

struct worker {
	const char *name;
	double seconds;
	uint64_t spent_ns;
};

static const char *end_file;

static NOINLINE void work(uint64_t until_ns)
{
	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns &&
	       (!end_file || access(end_file, F_OK) < 0))
		SPIN(20000);
}

static void *run(void *argument)
{
	struct worker *worker = argument;

	prctl(PR_SET_NAME, worker->name);
	work((uint64_t)(worker->seconds * 1e9));
	worker->spent_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct worker workers[] = {
		{ "alpha", 0.2 * seconds, 0 },
		{ "beta (x)", 0.3 * seconds, 0 },
		{ "gamma", 0.5 * seconds, 0 },
	};
	pthread_t threads[3];
	uint64_t sum_ns = 0;

	end_file = argc > 2 ? argv[2] : NULL;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, run, &workers[i]) != 0)
			return 1;
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		sum_ns += workers[i].spent_ns;
	}
	for (int i = 0; i < 3; i++)
		printf("share\t%s\t%.6f\n", workers[i].name,
		       (double)workers[i].spent_ns / (double)sum_ns);
	return 0;
}
