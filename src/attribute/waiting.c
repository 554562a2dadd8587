/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/waiting.h"

#include <stdlib.h>

#include "attribute/frames.h"
#include "attribute/stacks.h"
#include "attribute/wait_classes.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "model/machine.h"
#include "model/profile.h"
#include "place/kernel/kernel_symbols.h"
#include "sampling/off_cpu.h"
#include "sampling/switch_times.h"
#include "store/store.h"

/* What is known of a thread's wait before it ends. */
struct left {
	uint32_t tid;
	uint32_t stack;	   /* user stack, row of profile.stacks */
	uint64_t left_ns;  /* of the wait that the stack belongs to */
	uint64_t woken_ns; /* left_ns of the wait that another thread ended */
};

struct waiting {
	struct off_cpu *off_cpu;       /* NULL: not available, */
	struct switch_times *switches; /* then this is used */
	bool possible;
	struct err missing;
	struct waiting_parts parts;
	struct wait_classes *classes;
	int waits, times; /* events, index into profile.events */
	VEC(struct left) left;
	struct hashidx left_index; /* by tid */
	struct perf_record record; /* the current record */
};

/* ---- life ---- */

struct waiting *waiting_new(void)
{
	struct waiting *waiting = xcalloc(1, sizeof(*waiting));

	waiting->possible = off_cpu_check(&waiting->missing) == 0;
	return waiting;
}

void waiting_free(struct waiting *waiting)
{
	if (!waiting)
		return;
	off_cpu_free(waiting->off_cpu);
	switch_times_free(waiting->switches);
	wait_classes_free(waiting->classes);
	vec_free(&waiting->left);
	hashidx_done(&waiting->left_index);
	free(waiting);
}

enum sampler_waits waiting_source(const struct waiting *waiting)
{
	if (!waiting)
		return SAMPLER_WAITS_NONE;
	return waiting->possible ? SAMPLER_WAITS_OUTPUT : SAMPLER_WAITS_SWITCHES;
}

static int declare(struct profile *profile, const char *name, enum clock_kind clock)
{
	profile->events[profile->event_count] =
		(struct event){ .name = strpool_intern(&profile->strings, name),
				.unit = strpool_intern(&profile->strings, "ns"),
				.clock = clock };
	return (int)profile->event_count++;
}

static void tell_missing(struct waiting *waiting)
{
	char **text = &waiting->parts.profile->run.not_visible;
	char *more;

	if (!waiting->missing.text[0])
		return;
	more = xasprintf("%s%sstacks of waits, what was waited for, who ended the waits, and how "
			 "long threads then waited for a processor (%s)",
			 *text ? *text : "", *text && **text ? "\n" : "", waiting->missing.text);
	profile_set_text(text, more);
	free(more);
}

int waiting_prepare(struct waiting *waiting, const struct waiting_parts *parts, struct err *err)
{
	int rc = 0;

	waiting->parts = *parts;
	waiting->classes = wait_classes_new(parts->frames);
	waiting->waits = declare(parts->profile, "off-cpu", CLOCK_SCHEDULER);
	waiting->times = declare(parts->profile, "thread-time", CLOCK_EXACT);
	tell_missing(waiting);
	if (!waiting->possible) {
		waiting->switches = switch_times_new(clock_ns());
		return 0;
	}
	rc = off_cpu_new(parts->maps, &waiting->off_cpu, err);
	for (size_t i = 0; rc == 0 && i < parts->chosen_count; i++)
		rc = off_cpu_choose(waiting->off_cpu, parts->chosen[i], parts->only_chosen, err);
	if (rc == 0)
		rc = off_cpu_attach(waiting->off_cpu, parts->outputs, parts->output_count, err);
	return rc;
}

void waiting_open(struct waiting *waiting)
{
	if (waiting && waiting->off_cpu)
		off_cpu_open(waiting->off_cpu);
}

/* ---- records before a wait ends ---- */

static uint32_t task_of(struct waiting *waiting, uint32_t pid, uint32_t tid)
{
	return machine_task(waiting->parts.machine, waiting->record.time_ns, (int32_t)pid,
			    (int32_t)tid, NULL);
}

static bool has_tid(const void *owner, uint32_t index, const void *key)
{
	return ((const struct waiting *)owner)->left.items[index].tid == *(const uint32_t *)key;
}

static struct left *find_left(struct waiting *waiting, uint32_t tid)
{
	uint32_t index;

	if (!hashidx_find(&waiting->left_index, hash_u64(tid), has_tid, waiting, &tid, &index))
		return NULL;
	return &waiting->left.items[index];
}

static struct left *make_left(struct waiting *waiting, uint32_t tid)
{
	struct left *left = find_left(waiting, tid);

	if (left)
		return left;
	hashidx_add(&waiting->left_index, hash_u64(tid), (uint32_t)waiting->left.count);
	left = vec_push(&waiting->left);
	*left = (struct left){ .tid = tid };
	return left;
}

static void remember_stack(struct waiting *waiting, uint32_t tid, uint64_t left_ns)
{
	struct machine_space space;
	struct left *left;

	if (!waiting->parts.stacks)
		return;
	space = machine_space(waiting->parts.machine, waiting->record.pid);
	left = make_left(waiting, tid);
	left->left_ns = left_ns;
	left->stack = stacks_make(waiting->parts.stacks, &space, &waiting->record, NULL, 0);
}

/* The stack ends where the thread entered the kernel, or was preempted. */
static void take_left(struct waiting *waiting, const struct off_cpu_left_record *record)
{
	waiting->record.cpu_mode = PERF_RECORD_MISC_USER;
	waiting->record.sample.ip = record->count ? record->addresses[0] : 0;
	waiting->record.sample.user_stack =
		(struct user_stack){ .form = USER_STACK_CALLCHAIN,
				     .end = STACK_FRAME_POINTERS,
				     .addresses = (const uint64_t *)record->addresses,
				     .count = record->count };
	remember_stack(waiting, record->tid, record->left_ns);
}

/* Like take_left, for a stack that was walked with tables or is a copy. It belongs to the thread
 * that left its CPU; its period is the time of that (bpf/off_cpu.bpf.c). */
static void take_walk(struct waiting *waiting)
{
	const struct user_stack *user = &waiting->record.sample.user_stack;
	uint64_t ip = user->count ? user->addresses[0] : 0;

	if (user->form == USER_STACK_DUMP)
		ip = user->registers->pc;
	waiting->record.cpu_mode = PERF_RECORD_MISC_USER;
	waiting->record.sample.ip = ip;
	remember_stack(waiting, (uint32_t)waiting->record.tid, waiting->record.sample.period);
}

/* An interrupt's wakeup is not the interrupted task's. */
static void take_woke(struct waiting *waiting, const struct off_cpu_woke_record *record)
{
	const struct kernel_symbols *kernel = waiting->parts.frames->kernel;

	if (kernel && kernel_symbols_context(kernel, (const uint64_t *)record->addresses,
					     record->count) == CONTEXT_TASK)
		make_left(waiting, record->tid)->woken_ns = record->left_ns;
}

/* The task of the profile that ended the wait; 0: an interrupt, or none. */
static uint32_t waker_of(struct waiting *waiting, const struct off_cpu_wait_record *wait)
{
	const struct left *left = find_left(waiting, wait->tid);

	if (!wait->waker_tid || !left || left->woken_ns != wait->left_ns)
		return 0;
	return task_of(waiting, wait->waker_pid, wait->waker_tid);
}

/* The user part that the kernel frames are added to. */
static uint32_t user_stack(struct waiting *waiting, const struct off_cpu_wait_record *wait)
{
	struct profile *profile = waiting->parts.profile;
	const struct left *left = NULL;
	struct machine_space space;
	uint32_t node;

	if (!waiting->parts.stacks || wait->flags & OFF_CPU_KERNEL_THREAD)
		return 0;
	if (wait->flags & OFF_CPU_CAPTURED)
		left = find_left(waiting, wait->tid);
	if (left && left->left_ns == wait->left_ns)
		return left->stack;
	node = profile_stack(profile, 0, profile_cut(profile, STACK_UNKNOWN));
	if (!wait->user_ip)
		return node;
	space = machine_space(waiting->parts.machine, (int32_t)wait->pid);
	return profile_stack(
		profile, node,
		frames_user(waiting->parts.frames, &space, wait->user_ip, FRAME_EXACT));
}

/* ---- waits ---- */

static void add_sample(struct waiting *waiting, int event, uint32_t task, uint32_t stack,
		       uint64_t weight)
{
	struct event *to = &waiting->parts.profile->events[event];
	const struct sample sample = { .time_ns = waiting->record.time_ns,
				       .weight = weight,
				       .task = task,
				       .stack = stack,
				       .cpu = (uint16_t)waiting->record.cpu,
				       .event = (uint8_t)event,
				       .mode = MODE_KERNEL,
				       .context = CONTEXT_TASK };

	to->samples++;
	to->kernel_samples++;
	to->weight += weight;
	store_add(waiting->parts.writer, &sample);
}

/* Makes the stack up to the innermost kernel frame; *ret_wait is what its frames say about the
 * wait. */
static uint32_t whole_stack(struct waiting *waiting, const struct off_cpu_wait_record *wait,
			    enum wait *ret_wait)
{
	uint32_t node = user_stack(waiting, wait);

	*ret_wait = WAIT_OTHER;
	for (size_t i = wait->count; i-- > 0;) {
		uint32_t frame =
			frames_kernel(waiting->parts.frames, wait->addresses[i], FRAME_RETURN);
		enum wait here = wait_classes_frame(waiting->classes, frame);

		if (here != WAIT_OTHER)
			*ret_wait = here; /* inner frames win */
		node = profile_stack(waiting->parts.profile, node, frame);
	}
	if (wait->flags & OFF_CPU_STOPPED)
		*ret_wait = WAIT_STOPPED;
	else if (wait->flags & OFF_CPU_IO)
		*ret_wait = WAIT_DISK;
	else if (wait->flags & OFF_CPU_NO_STACK)
		*ret_wait = WAIT_BLOCKED;
	return node;
}

static void add_part(struct waiting *waiting, const struct off_cpu_wait_record *record,
		     uint32_t task, uint32_t stack, uint32_t leaf, uint64_t duration_ns)
{
	if (off_cpu_kept(record->draw_ns, duration_ns))
		add_sample(waiting, waiting->waits, task,
			   profile_stack(waiting->parts.profile, stack, leaf),
			   off_cpu_weight(record->threshold_ns, duration_ns));
}

static void take_wait(struct waiting *waiting, const struct off_cpu_wait_record *record)
{
	enum wait wait;
	uint32_t stack = whole_stack(waiting, record, &wait);
	uint32_t task = task_of(waiting, record->pid, record->tid);
	uint32_t waker = waker_of(waiting, record);

	add_part(waiting, record, task, stack, wait_classes_leaf(waiting->classes, wait, waker),
		 record->blocked_ns);
	add_part(waiting, record, task, stack,
		 wait_classes_leaf(waiting->classes, WAIT_RUNNABLE, 0), record->runnable_ns);
}

/* ---- times ---- */

/* The times recorded at an exec are those of the replaced program. */
static uint32_t task_before_exec(struct waiting *waiting, const struct off_cpu_times_record *record)
{
	struct profile *profile = waiting->parts.profile;
	uint32_t now = machine_process_of(waiting->parts.machine, (int32_t)record->pid);
	uint32_t before = profile->processes.items[now].parent;
	struct task task = { .process = before, .tid = (int32_t)record->tid };

	if (!profile->processes.items[now].exec_count ||
	    profile->processes.items[before].pid != (int32_t)record->pid)
		return task_of(waiting, record->pid, record->tid);
	task.comm = profile->processes.items[before].program;
	return profile_task(profile, &task);
}

static void add_time(struct waiting *waiting, uint32_t task, enum wait wait, uint64_t duration_ns)
{
	uint32_t leaf = wait_classes_leaf(waiting->classes, wait, 0);

	if (duration_ns)
		add_sample(waiting, waiting->times, task,
			   profile_stack(waiting->parts.profile, 0, leaf), duration_ns);
}

static void take_times(struct waiting *waiting, const struct off_cpu_times_record *record)
{
	uint32_t task = record->why == OFF_CPU_EXEC ? task_before_exec(waiting, record)
						    : task_of(waiting, record->pid, record->tid);

	add_time(waiting, task, WAIT_RUNNING, record->times.running_ns);
	add_time(waiting, task, WAIT_RUNNABLE, record->times.runnable_ns);
	add_time(waiting, task, WAIT_BLOCKED, record->times.blocked_ns);
}

/* ---- records ---- */

static void take_event(void *context, const union off_cpu_event *event)
{
	struct waiting *waiting = context;

	/* pid and tid are in the same place in all records */
	waiting->record.pid = (int32_t)event->times.pid;
	waiting->record.tid = (int32_t)event->times.tid;
	switch (event->kind) {
	case OFF_CPU_LEFT:
		take_left(waiting, &event->left);
		break;
	case OFF_CPU_WOKE:
		take_woke(waiting, &event->woke);
		break;
	case OFF_CPU_WAIT:
		take_wait(waiting, &event->wait);
		break;
	default:
		take_times(waiting, &event->times);
		break;
	}
}

void waiting_take(struct waiting *waiting, const struct perf_record *record)
{
	union off_cpu_event event;

	waiting->record = *record;
	if (waiting->switches)
		switch_times_take(waiting->switches, record, take_event, waiting);
	if (record->type != PERF_RECORD_SAMPLE || waiting->switches)
		return;
	if (record->sample.user_stack.form != USER_STACK_NONE)
		take_walk(waiting);
	else if (off_cpu_event_read(record->sample.raw, record->sample.raw_size, &event))
		take_event(waiting, &event);
	else
		waiting->parts.profile->events[waiting->waits].loss[LOSS_MALFORMED].count++;
}

/* ---- the end ---- */

static void settle(struct waiting *waiting)
{
	struct off_cpu_counts counts = off_cpu_counts(waiting->off_cpu);
	struct profile *profile = waiting->parts.profile;
	struct loss *waits = profile->events[waiting->waits].loss;
	struct loss *times = profile->events[waiting->times].loss;

	waits[LOSS_RING_FULL].count += counts.lost;
	waits[LOSS_RING_FULL].weight += counts.lost_weight_ns;
	times[LOSS_RING_FULL].count += counts.lost_times;
	times[LOSS_TABLE_FULL].count += counts.table_full;
	profile->run.bpf_ns += off_cpu_cost_ns(&counts);
}

void waiting_stop(struct waiting *waiting)
{
	if (waiting && waiting->off_cpu)
		off_cpu_stop(waiting->off_cpu);
}

void waiting_close(struct waiting *waiting, uint64_t lost)
{
	if (!waiting)
		return;
	waiting->record = (struct perf_record){ .type = PERF_RECORD_SAMPLE };
	waiting->record.time_ns = waiting->parts.profile->run.end_ns;
	if (waiting->switches) {
		switch_times_close(waiting->switches, waiting->record.time_ns, take_event, waiting);
		/* times of lost records count for the state the thread was in before */
		waiting->parts.profile->events[waiting->times].loss[LOSS_RING_FULL].count += lost;
		return;
	}
	off_cpu_close(waiting->off_cpu, take_event, waiting);
	settle(waiting);
}
