/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting events: perf_event_open(2) without samples. Each event is opened for each target, a
 * thread (with what it will start), a CPU, or a thread on a CPU. What cannot be opened has a state
 * that says why; the others count.
 */
#ifndef COUNT_COUNTERS_H
#define COUNT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/counts.h"
#include "perf/event_spec.h"

struct counters;

struct counters_options {
	const struct event_spec *specs; /* borrowed for the call, as all of this */
	const unsigned *groups;		/* of each event; NULL: none is in a group */
	size_t count;			/* <= COUNTS_MAX_EVENTS */
	const pid_t *tids;		/* NULL: whoever runs on the CPUs */
	size_t tid_count;
	const int *cpus; /* NULL: any; not with whoever runs */
	size_t cpu_count;
	bool inherit; /* what the threads start is counted, too */
	bool on_exec; /* counting begins when the thread executes a program */
	/* Where only user mode is permitted: count that, and say so. */
	bool may_restrict;
};

/* -ESRCH when all the threads are gone, -EMFILE when there are not enough descriptors, both with
 * the reason; an event that cannot be opened is no error. Targets are numbered tid by tid, with the
 * CPUs of each in their order. Nothing counts yet. */
int counters_open(const struct counters_options *options, struct counters **ret_counters,
		  struct err *err);
void counters_free(struct counters *counters); /* NULL is fine */
DEFINE_CLEANUP(struct counters *, counters_free);

size_t counters_targets(const struct counters *counters);
pid_t counters_tid(const struct counters *counters, size_t target); /* -1: whoever runs */
int counters_cpu(const struct counters *counters, size_t target);   /* -1: any */
/* Name, state and the rest of an event. */
const struct count_event *counters_event(const struct counters *counters, size_t event);
/* -1: it is not open there. Borrowed. */
int counters_fd(const struct counters *counters, size_t target, size_t event);

void counters_enable(struct counters *counters);
void counters_disable(struct counters *counters);
/* Since they were enabled; all nothing where it is not open. */
struct count_value counters_read(const struct counters *counters, size_t target, size_t event);

#endif
