/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three ways to run: user mode, the kernel on behalf of the task, and interrupts that merely
 * occurred meanwhile (softirq and hardirq context), which are no task's system time.
 */
#ifndef AGGREGATE_SPLIT_H
#define AGGREGATE_SPLIT_H

#include "model/profile.h"

struct hits {
	uint64_t samples;
	uint64_t weight; /* in the event's unit */
};

struct split {
	struct hits user, system, interrupts;
};

static inline void hits_add(struct hits *hits, const struct hits *more)
{
	hits->samples += more->samples;
	hits->weight += more->weight;
}

/* Adds a total to its way of running. */
void split_add(struct split *split, const struct total *total);
struct hits split_sum(const struct split *split);
/* The kernel's part: system and interrupts. */
struct hits split_kernel(const struct split *split);

#endif
