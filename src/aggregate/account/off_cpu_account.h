/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where threads' time went (--off-cpu): running, ready to run, and waiting. The three are exact and
 * add up to the lifetimes of the threads within the recording. Running is divided into user and
 * kernel mode by the samples of the clock, waiting into its causes by the recorded waits.
 */
#ifndef AGGREGATE_ACCOUNT_OFF_CPU_ACCOUNT_H
#define AGGREGATE_ACCOUNT_OFF_CPU_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

/* Waits that are alike in the first five members. */
struct wait_place {
	enum wait wait;
	uint32_t kernel; /* symbol of the kernel function that waits; 0: not seen */
	uint32_t user;	 /* symbol of the function that asked for it; 0: not seen */
	uint32_t caller; /* symbol of its caller in another file; 0: not seen */
	str_id waker;	 /* program that ended them; 0: an interrupt, or unknown */
	uint64_t samples;
	uint64_t weight; /* ns */
};

struct off_cpu_account {
	bool known;	 /* there are times of threads; else the rest is empty */
	bool of_command; /* only the command's threads; else all recorded ones */
	size_t threads;
	uint64_t whole_ns;
	uint64_t parts_ns[WAIT_COUNT]; /* add up to whole_ns; WAIT_BLOCKED: no recorded cause */
	uint64_t user_ns, kernel_ns;   /* parts of WAIT_RUNNING, if the clock has samples */
	VEC(struct wait_place) places; /* heaviest first; without time ready to run */
	struct hashidx index;	       /* private */
};

/* @totals: the selected ones, of any events. */
void off_cpu_account_make(const struct profile *profile, const struct total *totals, size_t count,
			  struct off_cpu_account *ret_account);
void off_cpu_account_done(struct off_cpu_account *account);

#endif
