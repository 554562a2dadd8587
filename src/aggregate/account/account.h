/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the processors' time went: sampled + idle + iowait + steal + lost + residue = CPUs x wall.
 * The smaller the residue, the more the report can be trusted.
 */
#ifndef AGGREGATE_ACCOUNT_ACCOUNT_H
#define AGGREGATE_ACCOUNT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"

struct account {
	const char *missing;  /* why there is no account; NULL: there is one, the rest is valid */
	uint64_t capacity_ns; /* CPUs x wall */
	uint64_t sampled_ns;
	uint64_t idle_ns, iowait_ns, steal_ns; /* as /proc/stat has it */
	uint64_t lost_ns;
	uint64_t lost_by_reason_ns[LOSS_COUNT];
	int64_t residue_ns;	/* what is left; below 0: more was found than there was */
	double residue_percent; /* of capacity_ns */
	/* Not part of the sum: what /proc/stat itself falls short of CPUs x wall. Its idle time is
	 * then too small by up to that. */
	uint64_t shortfall_ns;
	double shortfall_percent;
};

/* Only a profile of the whole machine has an account. */
struct account account_of(const struct profile *profile);

/* Was it recorded by another program? Then neither its cost nor idle time is known. */
bool account_is_import(const struct profile *profile);

/* Wall time of the run in ns; 0 when the recording was not finished, or was imported without times:
 * such a profile is a nanosecond long, so that it counts as finished. */
uint64_t account_wall_ns(const struct profile *profile);

/* The event the times of the report come from: the first of processors that counts ns and has
 * samples, else the first of processors that has samples, else 0. */
uint8_t account_main_event(const struct profile *profile);
bool account_is_time(const struct profile *profile, uint8_t event);
/* Is the event about threads, also where they do not run (--off-cpu), and not about processors? */
bool account_is_of_threads(const struct profile *profile, uint8_t event);

/* What prospect itself took. */
struct account_cost {
	/* The processor time from the start to the end of the recording is known apart from that of
	 * starting and finishing. Else (profiles of old) `recording_ns` has both, and the
	 * percentage is the most that it can be. */
	bool apart;
	uint64_t recording_ns, once_ns; /* processor time of the recorder */
	/* While it recorded, with BPF programs and, if known, interrupts: of CPUs x wall; 0 when
	 * the run has no duration. */
	double percent;
};

struct account_cost account_cost(const struct profile *profile);

/* CPUs x wall of the run, of any scope, in ns; 0 when it has no duration. */
uint64_t account_capacity_ns(const struct profile *profile);

/* Does the loss take samples away? Otherwise they are there, but less is known of them. */
bool account_takes_samples(enum loss_reason reason);
/* Samples of the event that the kernel or we dropped: the counts of the reasons that take samples
 * away (not records, not knowledge). */
uint64_t account_lost_samples(const struct event *event);

#endif
