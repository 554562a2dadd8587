/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules, each from observed behaviour of the kernel:
 *   - The clock stream never samples the idle task. The idle stream samples it at a lower rate; of
 *     those samples all are dropped except work on an idle CPU: interrupts, and what the idle task's
 *     loop itself does (kernel_symbols_waits). Both streams count into one event, by weight.
 *   - pid 0 is the idle task. Inside a PID namespace it is also every task of other namespaces; the
 *     idle task's loop in the kernel stack identifies it.
 *   - pid -1 is a reaped task that still runs its last instructions. It cannot have left the CPU
 *     that recorded its exit, so the last exit recorded on that CPU identifies it.
 *   - In kernel mode the innermost marked routine says whether the kernel worked for the task or
 *     interrupted it (kernel_symbols_context).
 *   - A clock without NMI samples code with interrupts off where that ends (interrupts_on.h).
 */
#include "attribute/attribute.h"

#include <stdlib.h>
#include <string.h>

#include "attribute/chosen.h"
#include "attribute/dispatch.h"
#include "attribute/frames.h"
#include "attribute/hot_code.h"
#include "attribute/interrupts_on.h"
#include "attribute/off_cpu_samples.h"
#include "attribute/stacks.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"
#include "proc/proc_parse.h"
#include "store/store.h"

enum { MAX_CPUS = 8192 };

/* The last exit recorded on a CPU. */
struct cpu_exit {
	int32_t pid, tid;
	uint32_t task;
};

struct attribution {
	struct attribution_parts parts;
	struct dispatch dispatch;
	struct interrupts_on *interrupts_on;
	VEC(struct cpu_exit) exits;	       /* by CPU */
	uint64_t chain[PERF_RECORD_MAX_CHAIN]; /* the kernel part, without marks */
	uint64_t samples, idle_stream_weight;  /* see struct attribution_counts */
	int64_t clock_distance_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC at the last mapping */
};

/* ---- samples ---- */

/* The sample's kernel stack without the PERF_CONTEXT_* marks, which are small negative numbers. */
static size_t kernel_chain(struct attribution *attribution, const struct perf_sample *sample)
{
	size_t count = 0;

	for (size_t i = 0; i < sample->chain_length; i++) {
		if (sample->chain[i] == (uint64_t)PERF_CONTEXT_USER)
			break;
		if (sample->chain[i] < (uint64_t)PERF_CONTEXT_MAX)
			attribution->chain[count++] = sample->chain[i];
	}
	if (count == 0)
		attribution->chain[count++] = sample->ip;
	return count;
}

static bool chain_has_idle(const struct attribution *attribution, size_t count)
{
	const struct kernel_symbols *kernel = attribution->parts.kernel;

	for (size_t i = 0; kernel && i < count; i++) {
		if (kernel_symbols_mark(kernel, attribution->chain[i]) == KERNEL_MARK_IDLE)
			return true;
	}
	return false;
}

/* True if the idle stream's sample shows work on an idle CPU. */
static bool idle_sample_counts(const struct attribution *attribution,
			       const struct perf_record *record, const struct known_stack *place)
{
	if (record->pid != 0 || !attribution->parts.kernel)
		return false;
	if (attribution->parts.foreign_pid_namespace && !place->idle)
		return false; /* task of another namespace: the clock stream samples it */
	return !place->waits;
}

/* The exit that this thread recorded on this CPU; a thread runs on for a while after it. NULL:
 * none. */
static const struct cpu_exit *exit_of(const struct attribution *attribution,
				      const struct perf_record *record)
{
	const struct cpu_exit *left;

	if (record->cpu >= attribution->exits.count)
		return NULL;
	left = &attribution->exits.items[record->cpu];
	if (!left->task || (record->pid >= 0 && left->tid != record->tid))
		return NULL;
	return machine_tid_alive(attribution->parts.machine, left->tid) ? NULL : left;
}

static uint32_t task_of(struct attribution *attribution, const struct perf_record *record,
			const struct record_origin *origin, bool idle)
{
	struct machine *machine = attribution->parts.machine;
	const struct cpu_exit *left = exit_of(attribution, record);
	bool known;
	uint32_t task;

	if (left)
		return left->task;
	if (record->pid < 0)
		return machine_bucket_task(machine, "[exiting]");
	if (record->pid == 0 && !origin->idle && attribution->parts.foreign_pid_namespace && !idle)
		return machine_bucket_task(machine, "[other namespace]");
	task = machine_task(machine, record->time_ns, record->pid, record->tid, &known);
	if (!known) {
		struct event *event = &attribution->parts.profile->events[0];

		event->loss[LOSS_UNKNOWN_TASK].count++;
	}
	return task;
}

/* The context from the kernel's record, otherwise from the kernel stack. */
static enum context context_of(const struct attribution *attribution,
			       const struct perf_record *record, size_t chain_count)
{
	if (record->cpu_mode != PERF_RECORD_MISC_KERNEL)
		return CONTEXT_TASK;
	if (record->sample.context != CONTEXT_COUNT)
		return record->sample.context;
	if (!attribution->parts.kernel || !chain_count)
		return CONTEXT_TASK;
	return kernel_symbols_context(attribution->parts.kernel, attribution->chain, chain_count);
}

/* True if the sample, which shows no interrupt, is of an idle task without work. */
static bool idle_task_waits(const struct attribution *attribution, const struct perf_record *record,
			    size_t chain_count)
{
	const struct kernel_symbols *kernel = attribution->parts.kernel;

	if (!kernel || record->pid != 0)
		return false;
	return chain_count ? kernel_symbols_waits(kernel, attribution->chain, chain_count)
			   : kernel_symbols_waits(kernel, &record->sample.ip, 1);
}

/* Where the sample was taken. Its stack is 0 if it has yet to be made. */
static struct known_stack place_of(struct attribution *attribution,
				   const struct machine_space *space,
				   const struct perf_record *record, size_t *ret_chain_count)
{
	bool known_form = record->sample.user_stack.form == USER_STACK_KNOWN;
	const struct known_stack *known = NULL;
	struct known_stack place = { 0 };

	*ret_chain_count = 0;
	if (known_form && attribution->parts.stacks)
		known = stacks_known(attribution->parts.stacks, space, record);
	if (known) {
		place = *known;
		place.stack = frames_renew(attribution->parts.frames, space, place.stack);
		return place;
	}
	if (record->cpu_mode == PERF_RECORD_MISC_KERNEL && !known_form)
		*ret_chain_count = kernel_chain(attribution, &record->sample);
	place.context = (uint8_t)context_of(attribution, record, *ret_chain_count);
	place.idle = chain_has_idle(attribution, *ret_chain_count);
	place.waits = place.context == CONTEXT_TASK &&
		      idle_task_waits(attribution, record, *ret_chain_count);
	return place;
}

static void find_stack(struct attribution *attribution, const struct machine_space *space,
		       const struct perf_record *record, size_t chain_count,
		       struct known_stack *place)
{
	struct stacks *stacks = attribution->parts.stacks;

	if (place->stack)
		return;
	if (!stacks) {
		place->stack = profile_stack(attribution->parts.profile, 0,
					     frames_leaf(attribution->parts.frames, space, record));
	} else if (record->sample.user_stack.form == USER_STACK_KNOWN) {
		place->stack = stacks_unknown(stacks, space, record);
	} else {
		place->stack = stacks_make(stacks, space, record, attribution->chain, chain_count);
		stacks_remember(stacks, space, record, place);
	}
}

static bool is_kept(const struct attribution *attribution, uint64_t time_ns)
{
	const struct attribution_parts *parts = &attribution->parts;

	return time_ns >= parts->from_ns && (!parts->to_ns || time_ns < parts->to_ns);
}

static void attribute_sample(struct attribution *attribution, const struct perf_record *record,
			     const struct record_origin *origin)
{
	struct profile *profile = attribution->parts.profile;
	struct machine *machine = attribution->parts.machine;
	struct machine_space space = machine_space(machine, record->pid);
	struct known_stack place;
	struct sample sample;
	size_t chain_count;

	sample = (struct sample){
		.time_ns = record->time_ns,
		.weight = origin->weight,
		.cpu = (uint16_t)record->cpu,
		.event = (uint8_t)origin->event,
		.mode = record->cpu_mode == PERF_RECORD_MISC_KERNEL ? MODE_KERNEL : MODE_USER,
	};
	place = place_of(attribution, &space, record, &chain_count);
	if (origin->idle) {
		if (is_kept(attribution, record->time_ns))
			attribution->idle_stream_weight += sample.weight;
		if (!idle_sample_counts(attribution, record, &place))
			return;
	}
	sample.task = task_of(attribution, record, origin, place.idle);
	if (!chosen_task(attribution->parts.only, profile, sample.task))
		return;
	if (!space.process) /* task_of may have made the process known */
		space = machine_space(machine, record->pid);
	find_stack(attribution, &space, record, chain_count, &place);
	if (!is_kept(attribution, record->time_ns))
		return;
	sample.stack = place.stack;
	if (sample.mode == MODE_KERNEL && interrupts_on_delay(profile->events[sample.event].clock))
		sample.stack = interrupts_on_stack(attribution->interrupts_on, place.stack);
	sample.context = place.context;
	store_count(profile, &sample);
	attribution->samples++;
	if (attribution->parts.hot)
		hot_code_count(attribution->parts.hot, sample.stack);
	store_add(attribution->parts.writer, &sample);
}

static int take_sample(void *context, const struct perf_record *record,
		       const struct record_origin *origin)
{
	struct attribution *attribution = context;

	if (origin->event != RECORD_NO_EVENT)
		attribute_sample(attribution, record, origin);
	else if (origin->waits && attribution->parts.off_cpu)
		off_cpu_samples_take(attribution->parts.off_cpu, record);
	return 0;
}

/* ---- mappings ---- */

static void map_file(struct attribution *attribution, uint64_t time_ns,
		     const struct mapped_file *file)
{
	struct mapping mapping = image_files_map(attribution->parts.files, file);

	machine_map(attribution->parts.machine, time_ns, file->pid, &mapping);
	if (attribution->parts.jit)
		jit_mapped(attribution->parts.jit,
			   machine_process_of(attribution->parts.machine, file->pid), file);
}

/* What a moment of the samples' clock is on the clock that files have. If that clock was set after
 * the last call, the earlier of both answers: no change of a file is missed. */
static int64_t file_time(struct attribution *attribution, uint64_t time_ns)
{
	int64_t now = (int64_t)(clock_read(CLOCK_REALTIME) - clock_ns()), before;

	before = attribution->clock_distance_ns ? attribution->clock_distance_ns : now;
	attribution->clock_distance_ns = now;
	return (int64_t)time_ns + (before < now ? before : now);
}

static int take_mmap(void *context, const struct perf_record *record)
{
	struct attribution *attribution = context;
	const struct perf_mmap *map = &record->mmap;
	struct mapped_file file = { .pid = record->pid,
				    .path = map->path,
				    .start = map->start,
				    .end = map->start + map->size,
				    .offset = map->offset,
				    .dev = map->dev,
				    .inode = map->inode,
				    .generation = map->generation,
				    .has_generation = map->has_generation,
				    .mapped_ns = file_time(attribution, record->time_ns),
				    .build_id = map->build_id,
				    .build_id_size = map->build_id_size };

	file.by_exec = machine_space(attribution->parts.machine, record->pid).in_exec;
	if (record->pid >= 0 && file.end > file.start)
		map_file(attribution, record->time_ns, &file);
	return 0;
}

void attribution_map(struct attribution *attribution, int32_t pid, const struct proc_map *map)
{
	uint64_t now = clock_ns();
	struct mapped_file file = { .pid = pid,
				    .path = map->path[0] ? map->path : "//anon",
				    .start = map->start,
				    .end = map->end,
				    .offset = map->offset,
				    .dev = map->dev,
				    .inode = map->inode,
				    .mapped_ns = file_time(attribution, now) };

	map_file(attribution, now, &file);
}

/* ---- the rest ---- */

static void take_exit(void *context, const struct perf_record *record)
{
	struct attribution *attribution = context;

	if (record->cpu >= MAX_CPUS || record->pid <= 0)
		return;
	while (attribution->exits.count <= record->cpu)
		*vec_push(&attribution->exits) = (struct cpu_exit){ 0 };
	attribution->exits.items[record->cpu] =
		(struct cpu_exit){ record->pid, record->tid,
				   machine_task(attribution->parts.machine, record->time_ns,
						record->pid, record->tid, NULL) };
}

static void take_comm(void *context, const struct perf_record *record)
{
	const struct attribution *attribution = context;
	struct machine *machine = attribution->parts.machine;

	machine_comm(machine, record->time_ns, record->pid, record->tid, record->comm.comm,
		     record->comm.exec);
	if (record->comm.exec)
		chosen_exec(attribution->parts.only, attribution->parts.profile,
			    machine_process_of(machine, record->pid), record->comm.comm);
}

static void take_ksymbol(void *context, const struct perf_record *record)
{
	const struct attribution *attribution = context;
	const struct perf_ksymbol *symbol = &record->ksymbol;
	struct kernel_symbols *kernel = attribution->parts.kernel;

	if (!kernel)
		return;
	if (symbol->removed)
		kernel_symbols_code_removed(kernel, symbol->address, symbol->size);
	else
		kernel_symbols_code_added(kernel, symbol->address, symbol->size, symbol->name);
}

/* Off-CPU accounting sees records about threads before these change the machine. */
static bool admit(void *context, const struct perf_record *record)
{
	const struct attribution *attribution = context;

	if (attribution->parts.jit)
		jit_set_time(attribution->parts.jit, record->time_ns);
	chosen_before(attribution->parts.only, attribution->parts.profile,
		      attribution->parts.machine, record);
	if (attribution->parts.off_cpu && record->type != PERF_RECORD_SAMPLE)
		off_cpu_samples_take(attribution->parts.off_cpu, record);
	return true;
}

/* ---- life ---- */

static const struct dispatch_hooks hooks = {
	.admit = admit,
	.sample = take_sample,
	.map = take_mmap,
	.comm = take_comm,
	.leave = take_exit,
	.ksymbol = take_ksymbol,
};

struct attribution *attribution_new(const struct attribution_parts *parts)
{
	struct attribution *attribution = xcalloc(1, sizeof(*attribution));

	attribution->parts = *parts;
	attribution->interrupts_on = interrupts_on_new(parts->frames, &parts->kernel_bytes);
	attribution->dispatch = (struct dispatch){ .profile = parts->profile,
						   .machine = parts->machine,
						   .source = parts->source,
						   .hooks = &hooks,
						   .context = attribution };
	return attribution;
}

void attribution_free(struct attribution *attribution)
{
	if (!attribution)
		return;
	dispatch_done(&attribution->dispatch);
	interrupts_on_free(attribution->interrupts_on);
	vec_free(&attribution->exits);
	free(attribution);
}

void attribution_set_kernel(struct attribution *attribution, struct kernel_symbols *kernel)
{
	attribution->parts.kernel = kernel;
}

void attribution_set_times(struct attribution *attribution, uint64_t from_ns, uint64_t to_ns)
{
	attribution->parts.from_ns = from_ns;
	attribution->parts.to_ns = to_ns;
}

void attribution_take(void *context, const struct perf_record *record)
{
	struct attribution *attribution = context;

	(void)dispatch_take(&attribution->dispatch, record); /* no hook here fails */
}

struct attribution_counts attribution_counts(const struct attribution *attribution)
{
	return (struct attribution_counts){
		.samples = attribution->samples,
		.ring_lost = attribution->dispatch.lost,
		.idle_stream_weight = attribution->idle_stream_weight,
	};
}

void attribution_finish(struct attribution *attribution, uint64_t end_ns)
{
	dispatch_end(&attribution->dispatch, end_ns);
}
