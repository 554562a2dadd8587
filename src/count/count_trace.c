/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count_trace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "base/xalloc.h"
#include "proc/thread_names.h"

enum {
	OPTIONS =
		PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC,
	EVENT_SHIFT = 16, /* the ptrace event is above the signal in a status */
	NO_ROW = -1,
	LOOK_NS = 1000000,
	MAX_LOOKS = 100, /* at a thread that does not stop, as it waits in the kernel */
};

/* A followed thread. */
struct traced {
	pid_t tid, pid;
	bool alive;
	bool waits;				    /* for its first exec: nothing counts yet */
	bool begun;				    /* it has had its first stop */
	long row;				    /* receives its counts; NO_ROW: none yet */
	struct counters *counters;		    /* NULL: none could be opened */
	struct count_value seen[COUNTS_MAX_EVENTS]; /* what rows already have of them */
};

struct count_trace {
	enum count_trace_by by;
	pid_t command;
	struct event_spec specs[COUNTS_MAX_EVENTS];
	unsigned groups[COUNTS_MAX_EVENTS];
	struct count_event events[COUNTS_MAX_EVENTS];
	size_t event_count;
	VEC(struct traced) threads;
	VEC(struct count_row) rows;
	VEC(uint64_t) births; /* of each row: threads that were born in it */
	uint64_t ended;	      /* how many tasks have ended: the order of rows */
	bool stopped, incomplete;
};

/* ---- threads and rows ---- */

static struct traced *find(struct count_trace *trace, pid_t tid)
{
	for (size_t i = trace->threads.count; i-- > 0;) {
		struct traced *thread = &trace->threads.items[i];

		if (thread->alive && thread->tid == tid)
			return thread;
	}
	return NULL;
}

/* Reuses the slot of an ended thread. */
static struct traced *add(struct count_trace *trace, pid_t tid)
{
	struct traced *thread = NULL;

	for (size_t i = 0; !thread && i < trace->threads.count; i++) {
		if (!trace->threads.items[i].alive)
			thread = &trace->threads.items[i];
	}
	if (!thread)
		thread = vec_push(&trace->threads);
	*thread = (struct traced){ .tid = tid, .pid = tid, .alive = true, .row = NO_ROW };
	return thread;
}

static struct count_key key_of(const struct count_trace *trace, const struct traced *thread,
			       const char *program)
{
	struct count_key key = { .cpu = -1, .pid = -1, .tid = -1 };

	snprintf(key.program, sizeof(key.program), "%s", program);
	if (trace->by >= COUNT_TRACE_PROCESS)
		key.pid = thread->pid;
	if (trace->by == COUNT_TRACE_THREAD)
		key.tid = thread->tid;
	return key;
}

/* The row of @key, made if it is not there. */
static long row_of(struct count_trace *trace, const struct count_key *key)
{
	for (size_t i = trace->rows.count; i-- > 0;) {
		if (counts_compare_keys(&trace->rows.items[i].key, key) == 0)
			return (long)i;
	}
	*vec_push(&trace->rows) = (struct count_row){ .key = *key };
	*vec_push(&trace->births) = 0;
	return (long)trace->rows.count - 1;
}

/* Adds what the thread has counted since the last call to its row. */
static void settle(struct count_trace *trace, struct traced *thread)
{
	for (size_t i = 0; thread->counters && i < trace->event_count; i++) {
		struct count_value now = counters_read(thread->counters, 0, i), *seen;
		struct count_value *sum;

		seen = &thread->seen[i];
		if (thread->row != NO_ROW && now.enabled_ns >= seen->enabled_ns) {
			sum = &trace->rows.items[thread->row].values[i];
			sum->count += now.count - seen->count;
			sum->enabled_ns += now.enabled_ns - seen->enabled_ns;
			sum->running_ns += now.running_ns - seen->running_ns;
		}
		*seen = now;
	}
	if (thread->row != NO_ROW)
		trace->rows.items[thread->row].order = ++trace->ended;
}

static int open_counters(struct count_trace *trace, struct traced *thread, bool on_exec,
			 struct err *err)
{
	const struct counters_options options = { .specs = trace->specs,
						  .groups = trace->groups,
						  .count = trace->event_count,
						  .tids = &thread->tid,
						  .tid_count = 1,
						  .on_exec = on_exec,
						  .may_restrict = true };

	return counters_open(&options, &thread->counters, err);
}

static void end(struct count_trace *trace, struct traced *thread)
{
	settle(trace, thread);
	counters_free(thread->counters);
	thread->counters = NULL;
	thread->alive = false;
}

/* ---- what happens ---- */

/* The row of a process: that of any of its threads. */
static long row_of_process(const struct count_trace *trace, pid_t pid)
{
	for (size_t i = 0; pid && i < trace->threads.count; i++) {
		const struct traced *thread = &trace->threads.items[i];

		if (thread->alive && thread->pid == pid && thread->row != NO_ROW)
			return thread->row;
	}
	return NO_ROW;
}

/* The row of its parent. If the parent has not reported the birth yet, it is still in the row where
 * it started the thread. */
static long row_of_parent(const struct count_trace *trace, const struct traced *thread)
{
	if (thread->row != NO_ROW)
		return thread->row;
	if (thread->pid != thread->tid)
		return row_of_process(trace, thread->pid);
	return row_of_process(trace, thread_facts_number(thread->tid, "PPid"));
}

/* A new thread is at its first stop. Until it executes a program it belongs to its parent's. */
static void begin(struct count_trace *trace, struct traced *thread)
{
	const char *program = THREAD_FACTS_NOT_KNOWN;
	pid_t pid = thread_facts_number(thread->tid, "Tgid");
	struct count_key key;
	struct err err;
	long parents;

	thread->begun = true;
	thread->pid = pid ? pid : thread->tid;
	parents = row_of_parent(trace, thread);
	if (parents != NO_ROW) {
		program = trace->rows.items[parents].key.program;
		trace->births.items[parents]++;
	}
	key = key_of(trace, thread, program);
	thread->row = row_of(trace, &key);
	thread_facts_comm(thread->tid, trace->rows.items[thread->row].key.comm, COUNTS_COMM);
	if (trace->stopped)
		return;
	if (open_counters(trace, thread, false, &err) < 0)
		trace->incomplete = true;
	else
		counters_enable(thread->counters);
}

/* A thread with row @row reports that it started another. */
static void born(struct count_trace *trace, long row, pid_t tid)
{
	struct traced *child = find(trace, tid);

	if (!child)
		child = add(trace, tid);
	if (!child->begun)
		child->row = row;
}

/* If a thread other than the first one executed a program, it now has the first one's id. */
static struct traced *take_over(struct count_trace *trace, struct traced *thread, pid_t former)
{
	struct traced *other = former == thread->tid ? NULL : find(trace, former);
	pid_t tid = thread->tid;

	if (!other)
		return thread;
	end(trace, thread);
	other->tid = tid;
	return other;
}

static void executed(struct count_trace *trace, struct traced *thread)
{
	char program[COUNTS_PATH];
	unsigned long former = (unsigned long)thread->tid;
	struct count_key key;
	bool first;

	(void)ptrace(PTRACE_GETEVENTMSG, thread->tid, NULL, &former);
	thread = take_over(trace, thread, (pid_t)former);
	first = thread->waits;
	if (!first)
		settle(trace, thread);
	thread->waits = false;
	thread_facts_program(NULL, thread->tid, program, sizeof(program));
	key = key_of(trace, thread, program);
	thread->row = row_of(trace, &key);
	trace->rows.items[thread->row].runs++;
	thread_facts_comm(thread->tid, trace->rows.items[thread->row].key.comm, COUNTS_COMM);
}

static void resume(pid_t tid, int request, int number)
{
	(void)ptrace(request, tid, NULL, (void *)(intptr_t)number); // NOLINT: ptrace(2) wants it
}

/* A job-control stop lasts until job control ends it. */
static bool is_job_stop(int number)
{
	return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* A thread stopped for ptrace's @event or, if that is 0, for signal @number. */
static void stopped(struct count_trace *trace, struct traced *thread, int event, int number)
{
	unsigned long told = 0;
	pid_t tid = thread->tid;

	switch (event) {
	case 0:
		resume(tid, PTRACE_CONT, number);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &told) == 0)
			born(trace, thread->row, (pid_t)told);
		break;
	case PTRACE_EVENT_EXEC:
		executed(trace, thread);
		break;
	case PTRACE_EVENT_STOP:
		if (is_job_stop(number)) {
			resume(tid, PTRACE_LISTEN, 0);
			return;
		}
		break;
	default:
		break;
	}
	resume(tid, PTRACE_CONT, 0);
}

/* Keeps the name of an ending thread. /proc has it until the thread is reaped. */
static void keep_last_name(struct count_trace *trace, pid_t tid)
{
	const struct traced *thread = find(trace, tid);

	if (thread && thread->row != NO_ROW)
		thread_facts_comm(tid, trace->rows.items[thread->row].key.comm, COUNTS_COMM);
}

static bool take_one(struct count_trace *trace, pid_t tid, int status, int *ret_status)
{
	struct traced *thread = find(trace, tid);
	int event = status >> EVENT_SHIFT;

	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		if (thread)
			end(trace, thread);
		*ret_status = status;
		return tid == trace->command;
	}
	if (!thread)
		thread = add(trace, tid);
	if (event == PTRACE_EVENT_STOP && !thread->begun) {
		begin(trace, thread);
		resume(tid, PTRACE_CONT, 0);
	} else {
		stopped(trace, thread, event, WSTOPSIG(status));
	}
	return false;
}

/* The thread with a pending event; 0: none. */
static pid_t next_event(struct count_trace *trace)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) < 0)
		return 0;
	if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
		keep_last_name(trace, info.si_pid);
	return info.si_pid;
}

bool count_trace_take(struct count_trace *trace, int *ret_status)
{
	bool over = false;
	pid_t tid;

	while (!over && (tid = next_event(trace)) > 0) {
		int status;

		if (waitpid(tid, &status, __WALL | WNOHANG) == tid)
			over = take_one(trace, tid, status, ret_status);
	}
	return over;
}

/* ---- the whole ---- */

static int seize(pid_t pid, struct err *err)
{
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(intptr_t)OPTIONS) == 0) // NOLINT: see resume
		return 0;
	return err_set(err, -errno,
		       "cannot trace the command, as rows by program require (%s; see "
		       "kernel.yama.ptrace_scope); omit them, or run with sudo",
		       strerror(errno));
}

int count_trace_new(const struct count_trace_options *options, struct count_trace **ret_trace,
		    struct err *err)
{
	struct count_trace *trace = xcalloc(1, sizeof(*trace));
	struct traced *first;
	int rc;

	trace->by = options->by;
	trace->command = options->pid;
	trace->event_count = options->event_count;
	for (size_t i = 0; i < options->event_count; i++) {
		trace->specs[i] = options->specs[i];
		trace->groups[i] = options->groups[i];
	}
	first = add(trace, options->pid);
	first->waits = first->begun = true;
	rc = open_counters(trace, first, true, err);
	if (rc == 0)
		rc = seize(options->pid, err);
	if (rc < 0) {
		first->alive = false;
		counters_free(first->counters);
		count_trace_free(trace);
		return rc;
	}
	for (size_t i = 0; i < trace->event_count; i++)
		trace->events[i] = *counters_event(first->counters, i);
	*ret_trace = trace;
	return 0;
}

/* Detaches the thread once it stops. Gives up if it ends, or does not stop in time. */
static void let_go(struct traced *thread)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	int status = 0;

	if (ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) < 0)
		return;
	for (int looks = 0; looks < MAX_LOOKS; looks++) {
		pid_t got = waitpid(thread->tid, &status, __WALL | WNOHANG);

		if (got > 0 && WIFSTOPPED(status))
			resume(thread->tid, PTRACE_DETACH,
			       status >> EVENT_SHIFT ? 0 : WSTOPSIG(status));
		if (got != 0)
			return;
		nanosleep(&pause, NULL);
	}
}

void count_trace_free(struct count_trace *trace)
{
	if (!trace)
		return;
	count_trace_stop(trace);
	for (size_t i = 0; i < trace->threads.count; i++) {
		if (trace->threads.items[i].alive)
			let_go(&trace->threads.items[i]);
	}
	vec_free(&trace->threads);
	vec_free(&trace->rows);
	vec_free(&trace->births);
	free(trace);
}

const struct count_event *count_trace_event(const struct count_trace *trace, size_t event)
{
	return &trace->events[event];
}

void count_trace_stop(struct count_trace *trace)
{
	trace->stopped = true;
	for (size_t i = 0; i < trace->threads.count; i++) {
		struct traced *thread = &trace->threads.items[i];

		if (!thread->alive)
			continue;
		settle(trace, thread);
		counters_free(thread->counters);
		thread->counters = NULL;
	}
}

void count_trace_read(struct count_trace *trace, struct counts *counts)
{
	for (size_t i = 0; i < trace->threads.count; i++) {
		struct traced *thread = &trace->threads.items[i];

		if (!thread->alive)
			continue;
		settle(trace, thread);
		keep_last_name(trace, thread->tid);
	}
	for (size_t i = 0; i < trace->rows.count; i++)
		*counts_add_row(counts) = trace->rows.items[i];
	counts->complete &= !trace->incomplete;
	counts_sort(counts);
}

/* Shares @more by the births of each row; the rest goes to the last row with births. */
static void share(struct count_trace *trace, size_t event, uint64_t more)
{
	uint64_t births = 0, left = more;
	struct count_row *last = NULL;

	for (size_t i = 0; i < trace->births.count; i++)
		births += trace->births.items[i];
	for (size_t i = 0; births && i < trace->rows.count; i++) {
		uint64_t part =
			(uint64_t)((double)more * (double)trace->births.items[i] / (double)births);

		if (!trace->births.items[i])
			continue;
		last = &trace->rows.items[i];
		last->values[event].count += part < left ? part : left;
		left -= part < left ? part : left;
	}
	if (last)
		last->values[event].count += left;
}

void count_trace_add_births(struct count_trace *trace, const struct counters *whole)
{
	for (size_t i = 0; i < trace->event_count; i++) {
		uint64_t sum = 0, count = counters_read(whole, 0, i).count;

		for (size_t j = 0; j < trace->rows.count; j++)
			sum += trace->rows.items[j].values[i].count;
		if (!trace->events[i].hardware && !trace->events[i].counts_ns && count > sum)
			share(trace, i, count - sum);
	}
}
