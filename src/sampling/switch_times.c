/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/switch_times.h"

#include <stdlib.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"

struct switch_times {
	VEC(struct off_cpu_thread) threads; /* state 0: ended */
	struct hashidx index;		    /* of threads, by tid */
	struct off_cpu_pace pace;
	__u64 random;
	switch_times_visitor take;
	void *context;
};

struct switch_times *switch_times_new(uint64_t random)
{
	struct switch_times *times = xcalloc(1, sizeof(*times));

	times->random = random;
	return times;
}

void switch_times_free(struct switch_times *times)
{
	if (!times)
		return;
	vec_free(&times->threads);
	hashidx_done(&times->index);
	free(times);
}

/* ---- threads ---- */

DEFINE_EQUAL(has_tid, struct switch_times, threads.items, uint32_t, a->tid == *b)

static struct off_cpu_thread *find_thread(struct switch_times *times, uint32_t tid)
{
	uint32_t index;

	if (!hashidx_find(&times->index, hash_u64(tid), has_tid, times, &tid, &index))
		return NULL;
	return &times->threads.items[index];
}

static struct off_cpu_thread *
begin_thread(struct switch_times *times, const struct perf_record *record, enum off_cpu_state state)
{
	uint32_t tid = (uint32_t)record->tid;
	struct off_cpu_thread *thread = find_thread(times, tid);

	if (!thread) {
		hashidx_add(&times->index, hash_u64(tid), (uint32_t)times->threads.count);
		thread = vec_push(&times->threads);
	}
	*thread = (struct off_cpu_thread){ .pid = (uint32_t)record->pid,
					   .tid = tid,
					   .since_ns = record->time_ns,
					   .left_ns = record->time_ns,
					   .threshold_ns = 1,
					   .flags = OFF_CPU_NO_STACK,
					   .state = state };
	return thread;
}

/* The thread of a record; a new one starts in @state. NULL for the idle task, and for a thread that
 * has exited and still leaves its CPU. */
static struct off_cpu_thread *thread_of(struct switch_times *times,
					const struct perf_record *record, enum off_cpu_state state)
{
	struct off_cpu_thread *thread;

	if (record->pid <= 0 || record->tid <= 0)
		return NULL;
	thread = find_thread(times, (uint32_t)record->tid);
	if (thread)
		return thread->state ? thread : NULL;
	return begin_thread(times, record, state);
}

/* ---- waits ---- */

/* Adds the time since the last change to the thread's current state. Returns that time. */
static uint64_t account(struct off_cpu_thread *thread, uint64_t now_ns)
{
	uint64_t duration_ns = now_ns > thread->since_ns ? now_ns - thread->since_ns : 0;

	if (thread->state == OFF_CPU_RUNNING)
		thread->times.running_ns += duration_ns;
	else if (thread->state == OFF_CPU_RUNNABLE)
		thread->times.runnable_ns += duration_ns;
	else
		thread->times.blocked_ns += duration_ns;
	thread->since_ns = now_ns;
	return duration_ns;
}

static void leave(struct switch_times *times, struct off_cpu_thread *thread,
		  const struct perf_record *record)
{
	account(thread, record->time_ns);
	thread->state = record->switched.preempted ? OFF_CPU_RUNNABLE : OFF_CPU_BLOCKED;
	thread->left_ns = record->time_ns;
	thread->times.waits++;
	thread->threshold_ns =
		off_cpu_pace_look(&times->pace, record->time_ns, OFF_CPU_PERIOD_NS, OFF_CPU_BUDGET);
	thread->draw_ns = off_cpu_draw(off_cpu_random(&times->random), thread->threshold_ns);
}

static void tell_wait(struct switch_times *times, const struct off_cpu_thread *thread,
		      uint64_t duration_ns, uint32_t flags)
{
	union off_cpu_event event = { .wait = { .kind = OFF_CPU_WAIT,
						.pid = thread->pid,
						.tid = thread->tid,
						.flags = thread->flags | flags,
						.left_ns = thread->left_ns,
						.draw_ns = thread->draw_ns,
						.threshold_ns = thread->threshold_ns } };

	if (thread->state == OFF_CPU_RUNNABLE)
		event.wait.runnable_ns = duration_ns;
	else
		event.wait.blocked_ns = duration_ns;
	if (off_cpu_kept(thread->draw_ns, duration_ns))
		times->take(times->context, &event);
}

static void arrive(struct switch_times *times, struct off_cpu_thread *thread, uint64_t now_ns)
{
	uint64_t duration_ns = account(thread, now_ns);

	if (off_cpu_kept(thread->draw_ns, duration_ns))
		off_cpu_pace_spend(&times->pace, now_ns, 1, OFF_CPU_BUDGET);
	tell_wait(times, thread, duration_ns, 0);
	thread->state = OFF_CPU_RUNNING;
}

static void tell_times(struct switch_times *times, const struct off_cpu_thread *thread,
		       enum off_cpu_why why)
{
	union off_cpu_event event = { .times = { .kind = OFF_CPU_TIMES,
						 .pid = thread->pid,
						 .tid = thread->tid,
						 .why = why,
						 .times = thread->times } };

	times->take(times->context, &event);
}

/* ---- records ---- */

static void take_switch(struct switch_times *times, const struct perf_record *record)
{
	struct off_cpu_thread *thread;

	if (record->switched.out) {
		thread = thread_of(times, record, OFF_CPU_RUNNING);
		if (thread)
			leave(times, thread, record);
		return;
	}
	thread = thread_of(times, record, OFF_CPU_RUNNABLE);
	if (thread && thread->state != OFF_CPU_RUNNING)
		arrive(times, thread, record->time_ns);
}

/* Later records with this tid are ignored until a fork reuses it. */
static void take_exit(struct switch_times *times, const struct perf_record *record)
{
	struct off_cpu_thread *thread = find_thread(times, (uint32_t)record->tid);

	if (!thread || !thread->state)
		return;
	account(thread, record->time_ns);
	tell_times(times, thread, OFF_CPU_EXIT);
	thread->state = 0;
}

/* The times so far belong to the program before the exec. */
static void take_exec(struct switch_times *times, const struct perf_record *record)
{
	struct off_cpu_thread *thread = find_thread(times, (uint32_t)record->tid);

	if (!thread || !thread->state)
		return;
	account(thread, record->time_ns);
	tell_times(times, thread, OFF_CPU_EXIT);
	thread->times = (struct off_cpu_times){ 0 };
}

void switch_times_take(struct switch_times *times, const struct perf_record *record,
		       switch_times_visitor take, void *context)
{
	times->take = take;
	times->context = context;
	switch (record->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(times, record);
		break;
	case PERF_RECORD_FORK:
		if (record->tid > 0)
			begin_thread(times, record, OFF_CPU_RUNNABLE);
		break;
	case PERF_RECORD_EXIT:
		take_exit(times, record);
		break;
	case PERF_RECORD_COMM:
		if (record->comm.exec)
			take_exec(times, record);
		break;
	default:
		break;
	}
}

void switch_times_close(struct switch_times *times, uint64_t closed_ns, switch_times_visitor take,
			void *context)
{
	times->take = take;
	times->context = context;
	for (size_t i = 0; i < times->threads.count; i++) {
		struct off_cpu_thread *thread = &times->threads.items[i];
		uint64_t duration_ns;

		if (!thread->state)
			continue;
		duration_ns = account(thread, closed_ns);
		if (thread->state != OFF_CPU_RUNNING)
			tell_wait(times, thread, duration_ns, OFF_CPU_OPEN);
		tell_times(times, thread, OFF_CPU_CLOSE);
		thread->state = 0;
	}
}
