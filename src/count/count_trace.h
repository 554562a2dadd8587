/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of a command split by program, process or thread, as pfmon did it: the command and all it
 * starts are followed by ptrace(2), each thread has counters of its own from the moment it is born,
 * and they are read when it executes another program and when it has ended. Needs no privilege, and
 * believes nothing but the counters. Each fork, exec and exit stops for a moment; a program that is
 * itself traced by another (a debugger's) cannot be followed, and one with the set-user-ID bit gets
 * no more rights than prospect has.
 */
#ifndef COUNT_COUNT_TRACE_H
#define COUNT_COUNT_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "count/counters.h"

enum count_trace_by { COUNT_TRACE_PROGRAM, COUNT_TRACE_PROCESS, COUNT_TRACE_THREAD };

struct count_trace_options {
	enum count_trace_by by;
	pid_t pid; /* a child of ours that has not executed anything yet: counting begins there */
	const struct event_spec *specs; /* copied, as the groups */
	const unsigned *groups;
	size_t event_count;
};

struct count_trace;

/* Takes hold of the child. -EPERM: tracing is not allowed here (Yama's ptrace_scope, seccomp). */
int count_trace_new(const struct count_trace_options *options, struct count_trace **ret_trace,
		    struct err *err);
/* Lets go of all that are still there, who run on uncounted. */
void count_trace_free(struct count_trace *trace); /* NULL is fine */
DEFINE_CLEANUP(struct count_trace *, count_trace_free);

/* Name, state and the rest of an event, as of the first thread. */
const struct count_event *count_trace_event(const struct count_trace *trace, size_t event);

/* Acts on everything that has happened; to be called at each SIGCHLD. Reaps those it follows: true
 * when the command itself has ended, with its status as waitpid(2) gives it. */
bool count_trace_take(struct count_trace *trace, int *ret_status);
/* The rows so far, those that are not over read now, in the order in which they ended. Threads that
 * could not be given counters make it incomplete. */
void count_trace_read(struct count_trace *trace, struct counts *counts);
/* Counts no more; what is followed goes on. */
void count_trace_stop(struct count_trace *trace);

/* What a new thread did in the kernel before its first stop is in no row. @whole has counted the
 * same events with all that the command started: of those that are plain software events what the
 * rows lack of it is shared between the programs that started threads, by how many. For the end,
 * after count_trace_stop and before the last count_trace_read. */
void count_trace_add_births(struct count_trace *trace, const struct counters *whole);

#endif
