/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts events: perf_event_open(2) without samples. Each event is opened for each target: a thread
 * (with what it starts), a CPU, or a thread on a CPU. An event that cannot be opened has a state
 * that says why; the others count.
 */
#ifndef COUNT_COUNTERS_H
#define COUNT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/counts.h"
#include "perf/event_sources.h"

struct counters;

struct counters_options {
	const struct event_spec *specs; /* borrowed for the call, as all below */
	const unsigned *groups;		/* of each event; NULL: no groups */
	size_t count;			/* <= COUNTS_MAX_EVENTS */
	const pid_t *tids;		/* NULL: all tasks on the CPUs */
	size_t tid_count;
	const int *cpus; /* NULL: any; required if tids is NULL */
	size_t cpu_count;
	bool inherit; /* also count what the threads start */
	bool on_exec; /* counting begins at the thread's next exec */
	/* If only user mode is permitted: count that, and say so. */
	bool may_restrict;
};

/* -ESRCH: all threads are gone; -EMFILE: too few descriptors; both with the reason. An event that
 * cannot be opened is no error. Targets are ordered by tid, then by CPU. Nothing counts yet. */
int counters_open(const struct counters_options *options, struct counters **ret_counters,
		  struct err *err);
void counters_free(struct counters *counters); /* NULL is fine */
DEFINE_CLEANUP(struct counters *, counters_free);

size_t counters_targets(const struct counters *counters);
pid_t counters_tid(const struct counters *counters, size_t target); /* -1: all tasks */
int counters_cpu(const struct counters *counters, size_t target);   /* -1: any */
/* Name, state and the rest of an event. */
const struct count_event *counters_event(const struct counters *counters, size_t event);
/* -1: not open there. Borrowed. */
int counters_fd(const struct counters *counters, size_t target, size_t event);

void counters_enable(struct counters *counters);
void counters_disable(struct counters *counters);
/* Since they were enabled; all 0 if not open. */
struct count_value counters_read(const struct counters *counters, size_t target, size_t event);

#endif
