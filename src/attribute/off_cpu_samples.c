/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/off_cpu_samples.h"

#include <stddef.h>
#include <stdlib.h>

#include "attribute/chosen.h"
#include "attribute/frames.h"
#include "attribute/stacks.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "model/machine.h"
#include "model/profile.h"
#include "model/words.h"
#include "place/kernel/kernel_marks.h"
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

struct off_cpu_samples {
	struct off_cpu *off_cpu;       /* NULL: not available, */
	struct switch_times *switches; /* then this is used */
	bool possible;
	struct err missing;
	struct off_cpu_samples_parts parts;
	VEC(uint8_t) frame_waits; /* by frame: 0 not determined yet, otherwise 1 + enum wait */
	uint32_t wait_images[WAIT_COUNT];
	uint64_t to_ns;	  /* when the window closes; 0: it is not known */
	int waits, times; /* events, index into profile.events */
	VEC(struct left) left;
	struct hashidx left_index; /* by tid */
	struct perf_record record; /* the current record */
};

/* ---- life ---- */

struct off_cpu_samples *off_cpu_samples_new(void)
{
	struct off_cpu_samples *samples = xcalloc(1, sizeof(*samples));

	samples->possible = off_cpu_check(&samples->missing) == 0;
	return samples;
}

void off_cpu_samples_free(struct off_cpu_samples *samples)
{
	if (!samples)
		return;
	off_cpu_free(samples->off_cpu);
	switch_times_free(samples->switches);
	vec_free(&samples->frame_waits);
	vec_free(&samples->left);
	hashidx_done(&samples->left_index);
	free(samples);
}

enum sampler_waits off_cpu_samples_source(const struct off_cpu_samples *samples)
{
	if (!samples)
		return SAMPLER_WAITS_NONE;
	return samples->possible ? SAMPLER_WAITS_OUTPUT : SAMPLER_WAITS_SWITCHES;
}

static int declare(struct profile *profile, const char *name, enum clock_kind clock)
{
	profile->events[profile->event_count] =
		(struct event){ .name = strpool_intern(&profile->strings, name),
				.unit = strpool_intern(&profile->strings, "ns"),
				.clock = clock };
	return (int)profile->event_count++;
}

static uint32_t wait_image(struct profile *profile, enum wait wait)
{
	struct image image = { .kind = IMAGE_WAIT, .state = IMAGE_STATE_READ };
	struct buf path = { 0 };

	buf_printf(&path, "[%s]", wait_name(wait));
	image.path = strpool_intern(&profile->strings, buf_text(&path));
	buf_done(&path);
	return profile_image(profile, &image);
}

static void tell_missing(const struct off_cpu_samples *samples)
{
	_cleanup_free_ char *sentence =
		xasprintf("stacks of waits, what was waited for, who ended the waits, and how long "
			  "threads then waited for a processor (%s)",
			  samples->missing.text);

	profile_not_visible(samples->parts.profile, sentence);
}

static int choose(struct off_cpu *off_cpu, const struct who_tasks *tasks, bool only,
		  struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < tasks->process_count; i++)
		rc = off_cpu_choose(off_cpu, tasks->processes[i], CHOSEN_PROCESS, only, err);
	for (size_t i = 0; rc == 0 && i < tasks->thread_count; i++)
		rc = off_cpu_choose(off_cpu, tasks->threads[i], CHOSEN_THREAD, only, err);
	return rc;
}

int off_cpu_samples_prepare(struct off_cpu_samples *samples,
			    const struct off_cpu_samples_parts *parts, struct err *err)
{
	int rc = 0;

	samples->parts = *parts;
	for (int i = 0; i < WAIT_COUNT; i++)
		samples->wait_images[i] = wait_image(parts->profile, (enum wait)i);
	samples->waits = declare(parts->profile, "off-cpu", CLOCK_SCHEDULER);
	samples->times = declare(parts->profile, "thread-time", CLOCK_EXACT);
	if (samples->missing.text[0])
		tell_missing(samples);
	if (!samples->possible) {
		samples->switches = switch_times_new(clock_ns());
		return 0;
	}
	rc = off_cpu_new(parts->maps, &samples->off_cpu, err);
	if (rc == 0)
		rc = choose(samples->off_cpu, &parts->chosen, parts->only_chosen, err);
	if (rc == 0)
		rc = off_cpu_attach(samples->off_cpu, parts->outputs, parts->output_count, err);
	return rc;
}

void off_cpu_samples_open(struct off_cpu_samples *samples, uint64_t from_ns)
{
	if (!samples || !samples->off_cpu)
		return;
	if (from_ns > clock_ns())
		off_cpu_set_window(samples->off_cpu, from_ns, samples->to_ns);
	else
		off_cpu_open(samples->off_cpu);
}

void off_cpu_samples_set_times(struct off_cpu_samples *samples, uint64_t from_ns, uint64_t to_ns)
{
	if (!samples)
		return;
	samples->to_ns = to_ns;
	if (samples->off_cpu)
		off_cpu_set_window(samples->off_cpu, from_ns > clock_ns() ? from_ns : 0, to_ns);
}

/* ---- what a thread waits for ---- */

static enum wait ask(const struct off_cpu_samples *samples, uint32_t frame_id)
{
	const struct profile *profile = samples->parts.frames->profile;
	const struct frame *frame = &profile->frames.items[frame_id];
	uint64_t after_call = frame->kind == FRAME_RETURN && frame->offset > 0;
	struct symbol symbol;

	if (!samples->parts.frames->kernel)
		return WAIT_OTHER;
	kernel_symbols_lookup(samples->parts.frames->kernel, frame->image,
			      frame->offset - after_call, &symbol);
	return kernel_marks_wait(profile_text(profile, symbol.name));
}

/* What a kernel frame alone says; WAIT_OTHER: nothing. The answer is remembered for each frame. */
static enum wait wait_of_frame(struct off_cpu_samples *samples, uint32_t frame)
{
	while (samples->frame_waits.count <= frame)
		*vec_push(&samples->frame_waits) = 0;
	if (!samples->frame_waits.items[frame])
		samples->frame_waits.items[frame] = (uint8_t)(1 + ask(samples, frame));
	return (enum wait)(samples->frame_waits.items[frame] - 1);
}

/* The frame (row of profile.frames) that stands for a wait, innermost in its stack. @waker: the
 * task of the profile that ended the wait; 0: none, or unknown. */
static uint32_t wait_leaf(struct off_cpu_samples *samples, enum wait wait, uint32_t waker)
{
	struct frame frame = { .image = samples->wait_images[wait],
			       .offset = waker,
			       .address = waker };

	return profile_frame(samples->parts.frames->profile, &frame);
}

/* ---- records before a wait ends ---- */

static uint32_t task_of(struct off_cpu_samples *samples, uint32_t pid, uint32_t tid)
{
	return machine_task(samples->parts.machine, samples->record.time_ns, (int32_t)pid,
			    (int32_t)tid, NULL);
}

DEFINE_EQUAL(has_tid, struct off_cpu_samples, left.items, uint32_t, a->tid == *b)

static struct left *find_left(struct off_cpu_samples *samples, uint32_t tid)
{
	uint32_t index;

	if (!hashidx_find(&samples->left_index, hash_u64(tid), has_tid, samples, &tid, &index))
		return NULL;
	return &samples->left.items[index];
}

static struct left *make_left(struct off_cpu_samples *samples, uint32_t tid)
{
	struct left *left = find_left(samples, tid);

	if (left)
		return left;
	hashidx_add(&samples->left_index, hash_u64(tid), (uint32_t)samples->left.count);
	left = vec_push(&samples->left);
	*left = (struct left){ .tid = tid };
	return left;
}

static void remember_stack(struct off_cpu_samples *samples, uint32_t tid, uint64_t left_ns)
{
	struct machine_space space;
	struct left *left;

	if (!samples->parts.stacks)
		return;
	space = machine_space(samples->parts.machine, samples->record.pid);
	left = make_left(samples, tid);
	left->left_ns = left_ns;
	left->stack = stacks_make(samples->parts.stacks, &space, &samples->record, NULL, 0);
}

/* The stack ends where the thread entered the kernel, or was preempted. */
static void take_left(struct off_cpu_samples *samples, const struct off_cpu_left_record *record)
{
	samples->record.cpu_mode = PERF_RECORD_MISC_USER;
	samples->record.sample.ip = record->count ? record->addresses[0] : 0;
	samples->record.sample.user_stack =
		(struct user_stack){ .form = USER_STACK_CALLCHAIN,
				     .end = STACK_FRAME_POINTERS,
				     .addresses = (const uint64_t *)record->addresses,
				     .count = record->count };
	remember_stack(samples, record->tid, record->left_ns);
}

/* Like take_left, for a stack that was walked with tables or is a copy. It belongs to the thread
 * that left its CPU; its period is the time of that (bpf/off_cpu.bpf.c). */
static void take_walk(struct off_cpu_samples *samples)
{
	const struct user_stack *user = &samples->record.sample.user_stack;
	uint64_t ip = user->count ? user->addresses[0] : 0;

	if (user->form == USER_STACK_DUMP)
		ip = user->registers->pc;
	samples->record.cpu_mode = PERF_RECORD_MISC_USER;
	samples->record.sample.ip = ip;
	remember_stack(samples, (uint32_t)samples->record.tid, samples->record.sample.period);
}

/* An interrupt's wakeup is not the interrupted task's. */
static void take_woke(struct off_cpu_samples *samples, const struct off_cpu_woke_record *record)
{
	const struct kernel_symbols *kernel = samples->parts.frames->kernel;

	if (kernel && kernel_symbols_context(kernel, (const uint64_t *)record->addresses,
					     record->count) == CONTEXT_TASK)
		make_left(samples, record->tid)->woken_ns = record->left_ns;
}

/* The task of the profile that ended the wait; 0: an interrupt, or none. */
static uint32_t waker_of(struct off_cpu_samples *samples, const struct off_cpu_wait_record *wait)
{
	const struct left *left = find_left(samples, wait->tid);

	if (!wait->waker_tid || !left || left->woken_ns != wait->left_ns)
		return 0;
	return task_of(samples, wait->waker_pid, wait->waker_tid);
}

/* The user part that the kernel frames are added to. */
static uint32_t user_stack(struct off_cpu_samples *samples, const struct off_cpu_wait_record *wait)
{
	struct profile *profile = samples->parts.profile;
	const struct left *left = NULL;
	struct machine_space space;
	uint32_t node;

	if (!samples->parts.stacks || wait->flags & OFF_CPU_KERNEL_THREAD)
		return 0;
	if (wait->flags & OFF_CPU_CAPTURED)
		left = find_left(samples, wait->tid);
	if (left && left->left_ns == wait->left_ns)
		return left->stack;
	node = profile_stack(profile, 0, profile_cut(profile, STACK_UNKNOWN));
	if (!wait->user_ip)
		return node;
	space = machine_space(samples->parts.machine, (int32_t)wait->pid);
	return profile_stack(
		profile, node,
		frames_user(samples->parts.frames, &space, wait->user_ip, FRAME_EXACT));
}

/* ---- waits ---- */

static void add_sample(struct off_cpu_samples *samples, int event, uint32_t task, uint32_t stack,
		       uint64_t weight)
{
	/* Records that come after the window has closed are from before. */
	bool late = samples->to_ns && samples->record.time_ns >= samples->to_ns;
	const struct sample sample = { .time_ns =
					       late ? samples->to_ns - 1 : samples->record.time_ns,
				       .weight = weight,
				       .task = task,
				       .stack = stack,
				       .cpu = (uint16_t)samples->record.cpu,
				       .event = (uint8_t)event,
				       .mode = MODE_KERNEL,
				       .context = CONTEXT_TASK };

	if (!chosen_task(samples->parts.only, samples->parts.profile, task))
		return;
	store_count(samples->parts.profile, &sample);
	store_add(samples->parts.writer, &sample);
}

/* Makes the stack up to the innermost kernel frame; *ret_wait is what its frames say about the
 * wait. */
static uint32_t whole_stack(struct off_cpu_samples *samples, const struct off_cpu_wait_record *wait,
			    enum wait *ret_wait)
{
	uint32_t node = user_stack(samples, wait);

	*ret_wait = WAIT_OTHER;
	for (size_t i = wait->count; i-- > 0;) {
		uint32_t frame =
			frames_kernel(samples->parts.frames, wait->addresses[i], FRAME_RETURN);
		enum wait here = wait_of_frame(samples, frame);

		if (here != WAIT_OTHER)
			*ret_wait = here; /* inner frames win */
		node = profile_stack(samples->parts.profile, node, frame);
	}
	if (wait->flags & OFF_CPU_STOPPED)
		*ret_wait = WAIT_STOPPED;
	else if (wait->flags & OFF_CPU_IO)
		*ret_wait = WAIT_DISK;
	else if (wait->flags & OFF_CPU_NO_STACK)
		*ret_wait = WAIT_BLOCKED;
	return node;
}

static void add_part(struct off_cpu_samples *samples, const struct off_cpu_wait_record *record,
		     uint32_t task, uint32_t stack, uint32_t leaf, uint64_t duration_ns)
{
	if (off_cpu_kept(record->draw_ns, duration_ns))
		add_sample(samples, samples->waits, task,
			   profile_stack(samples->parts.profile, stack, leaf),
			   off_cpu_weight(record->threshold_ns, duration_ns));
}

static void take_wait(struct off_cpu_samples *samples, const struct off_cpu_wait_record *record)
{
	enum wait wait;
	uint32_t stack = whole_stack(samples, record, &wait);
	uint32_t task = task_of(samples, record->pid, record->tid);
	uint32_t waker = waker_of(samples, record);

	add_part(samples, record, task, stack, wait_leaf(samples, wait, waker), record->blocked_ns);
	add_part(samples, record, task, stack, wait_leaf(samples, WAIT_RUNNABLE, 0),
		 record->runnable_ns);
}

/* ---- times ---- */

/* The times recorded at an exec are those of the replaced program. */
static uint32_t task_before_exec(struct off_cpu_samples *samples,
				 const struct off_cpu_times_record *record)
{
	struct profile *profile = samples->parts.profile;
	uint32_t now = machine_process_of(samples->parts.machine, (int32_t)record->pid);
	uint32_t before = profile->processes.items[now].parent;
	struct task task = { .process = before, .tid = (int32_t)record->tid };

	if (!profile->processes.items[now].exec_count ||
	    profile->processes.items[before].pid != (int32_t)record->pid)
		return task_of(samples, record->pid, record->tid);
	task.comm = profile->processes.items[before].program;
	return profile_task(profile, &task);
}

static void add_time(struct off_cpu_samples *samples, uint32_t task, enum wait wait,
		     uint64_t duration_ns)
{
	uint32_t leaf = wait_leaf(samples, wait, 0);

	if (duration_ns)
		add_sample(samples, samples->times, task,
			   profile_stack(samples->parts.profile, 0, leaf), duration_ns);
}

static void take_times(struct off_cpu_samples *samples, const struct off_cpu_times_record *record)
{
	uint32_t task = record->why == OFF_CPU_EXEC ? task_before_exec(samples, record)
						    : task_of(samples, record->pid, record->tid);

	add_time(samples, task, WAIT_RUNNING, record->times.running_ns);
	add_time(samples, task, WAIT_RUNNABLE, record->times.runnable_ns);
	add_time(samples, task, WAIT_BLOCKED, record->times.blocked_ns);
}

/* ---- records ---- */

static void take_event(void *context, const union off_cpu_event *event)
{
	struct off_cpu_samples *samples = context;

	/* pid and tid are in the same place in all records */
	samples->record.pid = (int32_t)event->times.pid;
	samples->record.tid = (int32_t)event->times.tid;
	switch (event->kind) {
	case OFF_CPU_LEFT:
		take_left(samples, &event->left);
		break;
	case OFF_CPU_WOKE:
		take_woke(samples, &event->woke);
		break;
	case OFF_CPU_WAIT:
		take_wait(samples, &event->wait);
		break;
	default:
		take_times(samples, &event->times);
		break;
	}
}

void off_cpu_samples_take(struct off_cpu_samples *samples, const struct perf_record *record)
{
	union off_cpu_event event;

	samples->record = *record;
	if (samples->switches)
		switch_times_take(samples->switches, record, take_event, samples);
	if (record->type != PERF_RECORD_SAMPLE || samples->switches)
		return;
	if (record->sample.user_stack.form != USER_STACK_NONE)
		take_walk(samples);
	else if (off_cpu_event_read(record->sample.raw, record->sample.raw_size, &event))
		take_event(samples, &event);
	else
		samples->parts.profile->events[samples->waits].loss[LOSS_MALFORMED].count++;
}

/* ---- the end ---- */

static void settle(struct off_cpu_samples *samples)
{
	struct off_cpu_counts counts = off_cpu_counts(samples->off_cpu);
	struct profile *profile = samples->parts.profile;
	struct loss *waits = profile->events[samples->waits].loss;
	struct loss *times = profile->events[samples->times].loss;

	waits[LOSS_RING_FULL].count += counts.lost;
	waits[LOSS_RING_FULL].weight += counts.lost_weight_ns;
	times[LOSS_RING_FULL].count += counts.lost_times;
	times[LOSS_TABLE_FULL].count += counts.table_full;
	profile->run.bpf_ns += off_cpu_cost_ns(&counts);
}

void off_cpu_samples_stop(struct off_cpu_samples *samples)
{
	if (samples && samples->off_cpu)
		off_cpu_stop(samples->off_cpu);
}

void off_cpu_samples_close(struct off_cpu_samples *samples, uint64_t lost)
{
	if (!samples)
		return;
	samples->record = (struct perf_record){ .type = PERF_RECORD_SAMPLE };
	samples->record.time_ns = samples->parts.profile->run.end_ns;
	if (samples->switches) {
		switch_times_close(samples->switches, samples->record.time_ns, take_event, samples);
		/* times of lost records count for the state the thread was in before */
		samples->parts.profile->events[samples->times].loss[LOSS_RING_FULL].count += lost;
		return;
	}
	off_cpu_close(samples->off_cpu, take_event, samples);
	settle(samples);
}
