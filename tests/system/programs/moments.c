/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Works in before_sleep, sleeps for 0.3 s, works in after_sleep. Prints "span NAME START END" for each of
 * the three, by CLOCK_MONOTONIC in ns. Usage: moments [now]; "now" prints that clock alone.
 */
#include <inttypes.h>
#include <string.h>

#include "spin.h"

enum { WORK_MS = 200, SLEEP_MS = 300 };

void before_sleep(void);
void after_sleep(void);

static void work(void)
{
	uint64_t end_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) + WORK_MS * UINT64_C(1000000);

	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		SPIN(100000);
}

/* No tail calls: these are to be in the stacks. */
NOINLINE void before_sleep(void)
{
	work();
	__asm__ volatile("");
}

NOINLINE void after_sleep(void)
{
	work();
	__asm__ volatile("");
}

static void sleep_once(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = SLEEP_MS * 1000000L }, NULL);
}

static void span(const char *name, void (*function)(void))
{
	uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC);

	function();
	printf("span\t%s\t%" PRIu64 "\t%" PRIu64 "\n", name, start_ns,
	       spin_clock_ns(CLOCK_MONOTONIC));
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "now") == 0) {
		printf("%" PRIu64 "\n", spin_clock_ns(CLOCK_MONOTONIC));
		return 0;
	}
	span("before_sleep", before_sleep);
	span("sleep", sleep_once);
	span("after_sleep", after_sleep);
	return 0;
}
