/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/command_switches.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"

/* Records a second, on average since the window opened; as many may come at once. Each costs the
 * kernel and us less than 1 us together, so this is below 2 % of a CPU. */
enum { MOST_A_SECOND = 20000 };

struct command_thread {
	int32_t tid;
	bool alive, active;
};

struct command_switches {
	VEC(struct command_thread) threads;
	struct hashidx index; /* of threads, by tid */
	size_t alive, active;
	uint64_t idle_since_ns; /* while no thread is active, and some are alive */
	uint64_t idle_ns;
	uint64_t records;	       /* of switches */
	uint64_t opened_ns, closed_ns; /* UINT64_MAX: not yet */
	bool opens_at_exec;
};

struct command_switches *command_switches_new(void)
{
	struct command_switches *switches = xcalloc(1, sizeof(*switches));

	switches->opened_ns = switches->closed_ns = UINT64_MAX;
	return switches;
}

void command_switches_free(struct command_switches *switches)
{
	if (!switches)
		return;
	vec_free(&switches->threads);
	hashidx_done(&switches->index);
	free(switches);
}

/* ---- threads ---- */

DEFINE_EQUAL(has_tid, struct command_switches, threads.items, int32_t, a->tid == *b)

static struct command_thread *find_thread(struct command_switches *switches, int32_t tid)
{
	uint32_t index;

	if (!hashidx_find(&switches->index, hash_u64((uint32_t)tid), has_tid, switches, &tid,
			  &index))
		return NULL;
	return &switches->threads.items[index];
}

static struct command_thread *make_thread(struct command_switches *switches, int32_t tid)
{
	struct command_thread *thread = find_thread(switches, tid);

	if (thread)
		return thread;
	hashidx_add(&switches->index, hash_u64((uint32_t)tid), (uint32_t)switches->threads.count);
	thread = vec_push(&switches->threads);
	*thread = (struct command_thread){ .tid = tid };
	return thread;
}

static bool is_idle(const struct command_switches *switches)
{
	return switches->alive && !switches->active;
}

/* Everything that changes goes through here. */
static void become(struct command_switches *switches, struct command_thread *thread, bool alive,
		   bool active, uint64_t now_ns)
{
	bool was_idle = is_idle(switches);

	switches->alive += (size_t)alive - (size_t)thread->alive;
	switches->active += (size_t)active - (size_t)thread->active;
	thread->alive = alive;
	thread->active = active;
	if (was_idle && !is_idle(switches) && now_ns > switches->idle_since_ns)
		switches->idle_ns += now_ns - switches->idle_since_ns;
	else if (!was_idle && is_idle(switches))
		switches->idle_since_ns = now_ns;
}

void command_switches_add(struct command_switches *switches, int32_t tid, bool active)
{
	become(switches, make_thread(switches, tid), true, active, 0);
}

void command_switches_open(struct command_switches *switches, uint64_t now_ns)
{
	switches->opened_ns = switches->idle_since_ns = now_ns;
	switches->idle_ns = 0;
}

void command_switches_open_at_exec(struct command_switches *switches)
{
	switches->opens_at_exec = true;
}

uint64_t command_switches_opened(const struct command_switches *switches)
{
	return switches->opened_ns == UINT64_MAX ? 0 : switches->opened_ns;
}

void command_switches_close(struct command_switches *switches, uint64_t now_ns)
{
	switches->closed_ns = now_ns;
}

/* ---- records ---- */

/* A thread that has ended still leaves its CPU. */
static void take_switch(struct command_switches *switches, const struct perf_record *record)
{
	struct command_thread *thread = find_thread(switches, record->tid);

	switches->records++;
	if (thread && thread->alive)
		become(switches, thread, true, !record->switched.out || record->switched.preempted,
		       record->time_ns);
}

static void take_fork(struct command_switches *switches, const struct perf_record *record)
{
	const struct command_thread *parent = find_thread(switches, record->task.parent_tid);

	if (parent && parent->alive && record->tid > 0)
		become(switches, make_thread(switches, record->tid), true, true, record->time_ns);
}

static void take_exit(struct command_switches *switches, const struct perf_record *record)
{
	struct command_thread *thread = find_thread(switches, record->tid);

	if (thread)
		become(switches, thread, false, false, record->time_ns);
}

/* Another thread than the first one that calls exec goes on as the first one, which has ended. */
static void take_exec(struct command_switches *switches, const struct perf_record *record)
{
	struct command_thread *thread = find_thread(switches, record->tid);

	if (!thread || !record->comm.exec)
		return;
	become(switches, thread, true, true, record->time_ns);
	if (switches->opened_ns == UINT64_MAX)
		command_switches_open(switches, record->time_ns);
}

/* What comes before the window opens, or after it has closed, is not looked at. */
static bool is_within(const struct command_switches *switches, const struct perf_record *record)
{
	if (record->time_ns > switches->closed_ns)
		return false;
	return record->time_ns >= switches->opened_ns ||
	       (switches->opens_at_exec && record->type == PERF_RECORD_COMM);
}

void command_switches_take(struct command_switches *switches, const struct perf_record *record)
{
	if (!is_within(switches, record))
		return;
	switch (record->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(switches, record);
		break;
	case PERF_RECORD_FORK:
		take_fork(switches, record);
		break;
	case PERF_RECORD_EXIT:
		take_exit(switches, record);
		break;
	case PERF_RECORD_COMM:
		take_exec(switches, record);
		break;
	default:
		break;
	}
}

bool command_switches_too_many(const struct command_switches *switches, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns > switches->opened_ns ? now_ns - switches->opened_ns : 0;

	return switches->records > MOST_A_SECOND + passed_ns / (NS_PER_S / MOST_A_SECOND);
}

uint64_t command_switches_idle(const struct command_switches *switches)
{
	if (is_idle(switches) && switches->closed_ns > switches->idle_since_ns)
		return switches->idle_ns + switches->closed_ns - switches->idle_since_ns;
	return switches->idle_ns;
}
