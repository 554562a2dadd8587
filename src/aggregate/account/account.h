/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the CPUs' time went: sampled + idle + iowait + steal + lost + residue = CPUs x wall. The
 * smaller the residue, the more the report can be trusted.
 */
#ifndef AGGREGATE_ACCOUNT_ACCOUNT_H
#define AGGREGATE_ACCOUNT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct account {
	const char *missing;  /* why there is no account; NULL: the rest is valid */
	uint64_t capacity_ns; /* CPUs x wall */
	uint64_t sampled_ns;
	uint64_t idle_ns, iowait_ns, steal_ns; /* from /proc/stat */
	uint64_t lost_ns;
	/* Not part of the sum: of a merged profile, CPUs x wall between the recordings. */
	uint64_t not_recorded_ns;
	uint64_t lost_by_reason_ns[LOSS_COUNT];
	int64_t residue_ns;	/* the rest; below 0: the parts exceed the capacity */
	double residue_percent; /* of capacity_ns */
	/* Not part of the sum: how much /proc/stat itself is short of CPUs x wall. Its idle time is
	 * too small by up to this. */
	uint64_t shortfall_ns;
	double shortfall_percent;
};

/* Only a profile of the whole machine has an account. Of one that did not finish it is of the time that
 * is known. */
struct account account_of(const struct profile *profile);

/* True if another program recorded the profile; then its overhead and idle time are unknown. */
/* The same of a part of the time, from what is known of parts of it (profile->cpu_times): one that is
 * partly within counts in proportion. @sampled_ns: the weight of the main event's samples in that
 * time, of everything that was recorded. Of losses the sum alone is known. */
struct account account_of_part(const struct profile *profile, uint64_t from_ns, uint64_t to_ns,
			       uint64_t sampled_ns);

bool account_is_import(const struct profile *profile);

/* Wall time of the run in ns; 0 if the recording did not finish or was imported without times. Such
 * an import has a duration of 1 ns, to count as finished. */
uint64_t account_wall_ns(const struct profile *profile);
/* A time by the clock of samples, since 1970; 0: not known. */
uint64_t account_real_ns(const struct profile *profile, uint64_t time_ns);

/* The event that gives the report its times: the first CPU event in ns that has samples, else the
 * first CPU event that has samples, else 0. */
uint8_t account_main_event(const struct profile *profile);
/* For a view of one event: the first of the @wanted events that counts time, else the first, else
 * 0. @wanted: by event. */
uint8_t account_one_event(const struct profile *profile, const bool *wanted);
bool account_is_time(const struct profile *profile, uint8_t event);
/* True if the event follows threads even when they do not run (--off-cpu), instead of CPUs. */
bool account_is_of_threads(const struct profile *profile, uint8_t event);

/* The overhead of prospect itself. */
struct account_cost {
	/* True if the CPU time of the recording is known separately from that of starting and
	 * finishing. Otherwise (old profiles) `recording_ns` contains both, and the percentage is
	 * an upper bound. */
	bool apart;
	uint64_t recording_ns, once_ns; /* CPU time of the recorder */
	/* While recording, with BPF programs and, if known, interrupts: percent of CPUs x wall; 0
	 * if the run has no duration. */
	double percent;
};

struct account_cost account_cost(const struct profile *profile);

/* CPUs x wall of the run in ns, for any scope; 0 if it has no duration. Of a merged profile only
 * what was recorded. */
uint64_t account_capacity_ns(const struct profile *profile);

/* True if the loss takes samples away. Other losses keep the samples but lose information about
 * them. */
bool account_takes_samples(enum loss_reason reason);
/* Samples of the event that the kernel or we dropped: the sum over the reasons that take samples
 * away (not records, not information). */
uint64_t account_lost_samples(const struct event *event);

/* How much of the sampled weight has a name. */

/* Weights of leaf frames, by how their symbol was found. */
struct naming {
	uint64_t whole;
	uint64_t unresolved; /* SYMBOL_NONE: no name */
	uint64_t bracketed;  /* SYMBOL_BRACKET: "a->b" between two symbols */
};

struct naming naming_of(const struct profile *profile, const struct total *totals, size_t count,
			uint8_t event);

#endif
