/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What test programs print about their own calls, for check_said (lib.sh) to compare with a watch:
 * "count NAME METRIC NUMBER", and "inner NAME SECONDS" and "outer NAME SECONDS", measured inside
 * and outside the calls, with the clock that the watch uses. C and C++.
 */
#ifndef TIMED_H
#define TIMED_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "spin.h"

#define NS_PER_S 1000000000L

struct timing {
	long began_ns, inner_ns, outer_ns;
};

static inline long now_ns(void)
{
	return (long)spin_clock_ns(CLOCK_MONOTONIC);
}

static inline void spin(long ns)
{
	for (long end_ns = now_ns() + ns; now_ns() < end_ns;)
		__asm__ volatile("" ::: "memory");
}

static inline void print_times(const char *name, const struct timing *timing)
{
	printf("inner %s %.9f\nouter %s %.9f\n", name, (double)timing->inner_ns * 1e-9, name,
	       (double)timing->outer_ns * 1e-9);
}

static inline void print_count(const char *name, const char *metric, int number)
{
	printf("count %s %s %d\n", name, metric, number);
}

/* SIGUSR1 runs @handler on the stack of @size bytes at @memory. */
static inline void handle_on_stack(void (*handler)(int), void *memory, size_t size)
{
	struct sigaction action;
	stack_t stack;

	memset(&action, 0, sizeof(action));
	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = memory;
	stack.ss_size = size;
	sigaltstack(&stack, NULL);
	action.sa_handler = handler;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
}

#endif
