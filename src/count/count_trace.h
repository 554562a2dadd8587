/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits the counts of a command by program, process or thread, as pfmon did. ptrace(2) follows the
 * command and all it starts. Each thread has its own counters from birth; they are read when it
 * executes another program and when it ends. This needs no privilege and relies only on the
 * counters. Each fork, exec and exit stops for a moment. A program traced by another, as by a
 * debugger, cannot be followed, and a set-user-ID program gets no more rights than prospect has.
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
	pid_t pid; /* our child, before its first exec: counting begins there */
	const struct event_spec *specs; /* copied, like the groups */
	const unsigned *groups;
	size_t event_count;
};

struct count_trace;

/* Attaches to the child. -EPERM: tracing is not allowed here (Yama's ptrace_scope, seccomp). */
int count_trace_new(const struct count_trace_options *options, struct count_trace **ret_trace,
		    struct err *err);
/* Detaches from all that still run; they continue uncounted. */
void count_trace_free(struct count_trace *trace); /* NULL is fine */
DEFINE_CLEANUP(struct count_trace *, count_trace_free);

/* Name, state and the rest of an event, as on the first thread. */
const struct count_event *count_trace_event(const struct count_trace *trace, size_t event);

/* Handles everything that happened; call it at each SIGCHLD. It reaps the tasks it follows. True if
 * the command itself has ended; *ret_status is as from waitpid(2). */
bool count_trace_take(struct count_trace *trace, int *ret_status);
/* The rows so far, including those of running tasks, in the order in which they ended. If threads
 * got no counters, the counts are incomplete. */
void count_trace_read(struct count_trace *trace, struct counts *counts);
/* Stops counting; the followed tasks continue. */
void count_trace_stop(struct count_trace *trace);

/* Counts kernel work of new threads before their first stop, which is in no row. @whole counts the
 * same events for the command and all it started. What the rows lack of a software event is shared
 * among the programs that started threads, by the number of threads. Call it at the end, after
 * count_trace_stop and before the last count_trace_read. */
void count_trace_add_births(struct count_trace *trace, const struct counters *whole);

#endif
