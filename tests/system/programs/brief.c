/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, one after the other, each of which works for a few milliseconds of its own time and ends. Prints the
 * rusage. Usage: brief COUNT MILLISECONDS */
#include <pthread.h>
#include <stdlib.h>

#include "spin.h"

static NOINLINE void brief_work(uint64_t until_ns)
{
	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
		SPIN(2000);
}

static void *run(void *until_ns)
{
	brief_work(*(uint64_t *)until_ns);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t until_ns = argc > 2 ? (uint64_t)(atof(argv[2]) * 1e6) : 1000000;

	for (int left = argc > 1 ? atoi(argv[1]) : 1; left > 0; left--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, &until_ns) || pthread_join(thread, NULL))
			return 1;
	}
	spin_print_rusage(RUSAGE_SELF);
	return 0;
}
