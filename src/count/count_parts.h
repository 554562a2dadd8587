/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a counting session; private to count*.c. count_sources.c opens the counters,
 * count_reading.c reads them into rows, count.c runs the session.
 */
#ifndef COUNT_COUNT_PARTS_H
#define COUNT_COUNT_PARTS_H

#include "count/count.h"
#include "count/count_split.h"
#include "count/count_trace.h"
#include "count/counters.h"
#include "foreign/foreign.h"
#include "proc/thread_names.h"
#include "proc/watched_command.h"

struct count_session {
	const struct count_options *options;
	struct count_result *result;
	struct foreign *foreign; /* reads files that may not answer */
	struct watched_command command;
	struct event_spec specs[COUNTS_MAX_EVENTS];
	unsigned groups[COUNTS_MAX_EVENTS];
	size_t event_count;
	bool usual; /* the user named no events */
	VEC(pid_t) tids;
	VEC(pid_t) processes;	    /* each thread's, in the same order */
	struct thread_names *names; /* theirs, in the same order; NULL: not wanted */
	int *cpus;
	size_t cpu_count;
	struct counters *counters;
	/* Rows by program, process or thread: @trace for a command, @split for CPUs. */
	struct count_trace *trace;
	struct count_split *split; /* reads @counters */
	struct counts *previous;   /* at the end of the last interval; NULL: none yet */
	uint64_t start_ns;
	uint64_t interval_start_ns; /* since start_ns */
	uint64_t end_ns;	    /* 0: still counting */
	bool stop;
	bool counted_enough; /* counting has ended; only waits for the command */
	uint64_t intervals;
};

/* ---- count_sources.c ---- */

/* The events of the command line, or the default ones. */
int count_sources_events(struct count_session *session, struct err *err);
/* Opens and prepares all counters; count_sources_begin starts them. */
int count_sources_open(struct count_session *session, struct err *err);
int count_sources_begin(struct count_session *session, struct err *err);
void count_sources_end(struct count_session *session);
void count_sources_done(struct count_session *session);
/* True if the command is counted, not the CPUs while it runs. */
bool count_sources_by_command(const struct count_session *session);

/* ---- count_reading.c ---- */

/* The counts since the start; @last: counting has ended. */
int count_reading_now(struct count_session *session, bool last, struct counts *ret_counts,
		      struct err *err);

#endif
