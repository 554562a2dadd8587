/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where threads' time went (--off-cpu): what they ran, were ready to run, and waited for. The three
 * are exact and add up to the time between the threads' births and ends within the recording; how
 * running divides into user and kernel mode is taken from the samples of the clock, how waiting
 * divides by what was waited for from the waits that were recorded.
 */
#ifndef AGGREGATE_ACCOUNT_WAIT_ACCOUNT_H
#define AGGREGATE_ACCOUNT_WAIT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

/* Waits alike in these. */
struct wait_place {
	enum wait wait;
	uint32_t kernel; /* symbol: of the kernel's routine that waits; 0: not seen */
	uint32_t user;	 /* symbol: of the function that asked for it; 0: not seen */
	uint32_t caller; /* symbol: of the function of another file that called that; 0 */
	uint32_t waker;	 /* process that ended them; 0: an interrupt, or nobody known */
	uint64_t samples;
	uint64_t weight; /* ns */
};

struct wait_account {
	bool known;	 /* there are times of threads; else the rest is empty */
	bool of_command; /* of the command's threads alone; else of all that were recorded */
	size_t threads;
	uint64_t whole_ns;
	uint64_t parts_ns[WAIT_COUNT]; /* add up to whole_ns; WAIT_BLOCKED is what no wait tells */
	uint64_t user_ns, kernel_ns;   /* parts of WAIT_RUNNING, where the clock has samples */
	VEC(struct wait_place) places; /* heaviest first; not those that were only runnable */
	struct hashidx index;	       /* private */
};

/* @totals: what was selected, of any events. */
void wait_account_make(const struct profile *profile, const struct total *totals, size_t count,
		       struct wait_account *ret_account);
void wait_account_done(struct wait_account *account);

#endif
