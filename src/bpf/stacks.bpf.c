/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Takes the samples of clocks and events: walks the user stack in the interrupt, with the tables
 * that user space wrote, and puts one record into the CPU's perf ring. A stack that was sent before
 * is only a hash. A stack that cannot be walked here, because user space has not seen the program
 * or mapping yet, is sent as registers and a copy of part of it.
 *
 * Kernels without bpf_loop (before Linux 5.17) repeatedly call a global function instead. Kernels
 * without symbols for per-CPU variables (CONFIG_KALLSYMS_ALL) cannot report the context. The
 * programs at the end differ only in that.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/stack_walk.bpf.h"

/* Set before loading. */
const volatile __u8 verify = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set before loading: CPUs */
	__type(key, __u32);
	__type(value, struct stack_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* set before loading: CPUs */
	__type(key, __u32);
	__type(value, __u32);
} outputs SEC(".maps");

/* Stacks that were sent, by hash; the last one wins a shared slot. User space adds those that are
 * permanently cut (stack_tables_learn) and removes none. */
__u64 known_hashes[STACK_KNOWN_HASHES];

/* ---- the parts of a record ---- */

static __always_inline void take_kernel_part(struct scratch *s, struct bpf_perf_event_data *ctx)
{
	long bytes = bpf_get_stack(ctx, s->tail, STACK_MAX_KERNEL * 8, 0);

	s->kernel_count = bytes > 0 ? (__u32)bytes / 8 : 0;
	for (__u32 i = 0; i < STACK_MAX_KERNEL; i++) {
		if (i >= s->kernel_count)
			break;
		s->hash = mix(s->hash, s->tail[i]);
	}
}

/* 32-bit code: the kernel walks its frame pointers. */
static __always_inline void take_frame_pointers(struct scratch *s, struct bpf_perf_event_data *ctx)
{
	__u32 first = s->kernel_count & STACK_MAX_KERNEL;
	long bytes = bpf_get_stack(ctx, &s->tail[first], STACK_MAX_KERNEL * 8, BPF_F_USER_STACK);

	s->user_count = bytes > 0 ? (__u32)bytes / 8 : 0;
	s->end = UNWIND_END_FRAME_POINTERS;
	for (__u32 i = 0; i < STACK_MAX_KERNEL; i++) {
		if (i >= s->user_count)
			break;
		s->hash = mix(s->hash, s->tail[(first + i) & (HEAD_WORDS - 1)]);
	}
}

static __always_inline void take_user_part(struct scratch *s, struct bpf_perf_event_data *ctx,
					   struct task_struct *task, int by_loop)
{
	int narrow;

	s->end = UNWIND_END_COMPLETE;
	if (task->flags & (TASK_KTHREAD | TASK_USER_WORKER | TASK_IO_WORKER))
		return;
	if (!find_memory(s, task)) {
		s->end = UNWIND_END_GONE;
		return;
	}
	narrow = is_user_mode(ctx) ? copy_sample_registers(ctx, &s->registers)
				   : copy_task_registers(task, &s->registers);
	if (narrow)
		take_frame_pointers(s, ctx);
	else
		walk_user_stack(s, by_loop);
}

/* ---- sending ---- */

static __always_inline long send(struct scratch *s, struct bpf_perf_event_data *ctx, __u32 words)
{
	__u64 size = finish_record(s, words);

	if (!size)
		return -1;
	return bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU,
				     (char *)&s->record + RECORD_SKIP, size);
}

static __always_inline long send_known(struct scratch *s, struct bpf_perf_event_data *ctx)
{
	s->record.form = STACK_FORM_KNOWN;
	s->kernel_count = s->user_count = 0;
	return send(s, ctx, 0);
}

/* For a ring without room for the whole sample. */
static __always_inline long send_without_user(struct scratch *s, struct bpf_perf_event_data *ctx)
{
	s->record.form = STACK_FORM_NONE;
	s->record.flags = 0;
	s->record.stack_size = 0;
	s->record.hash = 0;
	s->user_count = 0;
	s->end = UNWIND_END_LOST;
	return send(s, ctx, s->kernel_count);
}

static __always_inline void count_lost(struct stack_cpu *cpu, __u64 event)
{
	cpu->counters[STACK_COUNTER_LOST]++;
	for (int i = 0; i < STACK_LOSSES; i++) {
		struct stack_loss *loss = &cpu->losses[i];

		if (!loss->event)
			loss->event = event;
		if (loss->event == event) {
			loss->count++;
			return;
		}
	}
}

static __always_inline void send_sample(struct scratch *s, struct stack_cpu *cpu,
					struct bpf_perf_event_data *ctx)
{
	__u32 words = s->kernel_count + s->user_count;
	int dump = s->stale || (verify && s->record.generation);
	__u64 *slot = &known_hashes[s->hash & (STACK_KNOWN_HASHES - 1)];

	if (!verify && s->record.hash && *slot == s->record.hash) {
		cpu->counters[STACK_COUNTER_KNOWN]++;
		if (send_known(s, ctx) < 0)
			count_lost(cpu, s->record.event);
		return;
	}
	s->record.form = s->user_count ? STACK_FORM_ADDRESSES : STACK_FORM_NONE;
	if (dump && cpu->copied < cpu->copy_limit) {
		s->record.form = STACK_FORM_DUMP;
		cpu->counters[STACK_COUNTER_DUMPS]++;
		words = take_dump(s, words);
		cpu->copied += s->record.stack_size + sizeof(s->record) + sizeof(s->registers);
		if (send(s, ctx, words) == 0)
			return;
	} else if (!dump && send(s, ctx, words) == 0) {
		*slot = s->record.hash;
		return;
	}
	cpu->counters[STACK_COUNTER_RING_FULL]++;
	if (send_without_user(s, ctx) < 0)
		count_lost(cpu, s->record.event);
}

/* ---- a run ---- */

/* Inherited copies of an event have lost the cookie; then takes the id of their parent. */
static __always_inline __u64 event_id(struct bpf_perf_event_data *ctx)
{
	__u64 id = bpf_get_attach_cookie(ctx);
	struct perf_event *event = NULL, *parent;

	if (id)
		return id;
	bpf_probe_read_kernel(
		&event, sizeof(event),
		(char *)ctx + bpf_core_field_offset(struct bpf_perf_event_data_kern, event));
	parent = BPF_CORE_READ(event, parent);
	return BPF_CORE_READ(parent ? parent : event, id);
}

static __always_inline void take_sample(struct scratch *s, struct stack_cpu *cpu,
					struct bpf_perf_event_data *ctx, int by_loop,
					int with_context)
{
	struct task_struct *task = bpf_get_current_task_btf();

	scratch_clear(s);
	s->record.event = event_id(ctx);
	s->record.period = ctx->sample_period;
	s->record.context = with_context ? sample_context(task) : STACK_CONTEXT_UNKNOWN;
	if (!is_user_mode(ctx))
		take_kernel_part(s, ctx);
	take_user_part(s, ctx, task, by_loop);
	cpu->counters[STACK_COUNTER_FRAMES] += s->user_count;
	s->hash = mix(s->hash, s->end);
	/* Without a table, all that is known of the user part is that it is missing. */
	if (s->record.generation || !s->stale)
		s->record.hash = s->hash ? s->hash : 1;
	send_sample(s, cpu, ctx);
}

static __always_inline int run(struct bpf_perf_event_data *ctx, int by_loop, int with_context)
{
	__u32 number = bpf_get_smp_processor_id();
	struct stack_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);
	struct scratch *s = bpf_map_lookup_elem(&scratches, &number);
	__u64 begin = 0;

	if (!cpu || !s)
		return 1; /* a CPU that came later: the kernel's own record must do */
	if (cpu->counters[STACK_COUNTER_RUNS]++ % STACK_TIMED == 0)
		begin = bpf_ktime_get_ns();
	__sync_fetch_and_add(&cpu->running, 1);
	take_sample(s, cpu, ctx, by_loop, with_context);
	__sync_fetch_and_add(&cpu->running, 1);
	if (begin) {
		cpu->counters[STACK_COUNTER_TIMED_RUNS]++;
		cpu->counters[STACK_COUNTER_TIMED_NS] += bpf_ktime_get_ns() - begin;
	}
	return 0;
}

/* How frames are repeated, and whether the kernel can report its preempt count: name, by bpf_loop,
 * with context. */
#define PROGRAM(name, by_loop, with_context)            \
	SEC("perf_event")                               \
	int name(struct bpf_perf_event_data *ctx)       \
	{                                               \
		return run(ctx, by_loop, with_context); \
	}

PROGRAM(stacks_by_loop, 1, 1)
PROGRAM(stacks_by_loop_bare, 1, 0)
PROGRAM(stacks_by_calls, 0, 1)
PROGRAM(stacks_by_calls_bare, 0, 0)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
