/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What the probe programs do at an entry and at an exit, whatever brought them there.
 *
 * Each thread has a stack of the watched calls that it is in, kept in the task itself (task
 * storage): it goes where the thread goes, from CPU to CPU, and ends with it. A frame is known by
 * its function and by the stack pointer at its entry. So calls that nest, call themselves or pass
 * on their frame (a tail call has the same stack pointer) are told apart, and what an exit leaves
 * above its own frame, or an entry finds deeper in the stack than itself, was left without a return
 * (longjmp, an exception, a return that the kernel missed).
 *
 * What interrupts a program here, on the same CPU and in the same thread, is whole before it goes
 * on: it finds the frames below as they are, and leaves them so. Sums are added to atomically. But
 * a thread may also be switched out amid a program; then its frames are gone through as they are.
 * So a frame is timed from the moment its flags say so, which is when all else in it is set, until
 * they say so no more, and outside of the stack no frame is.
 */
#ifndef BPF_PROBE_CALLS_BPF_H
#define BPF_PROBE_CALLS_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/probe_condition.bpf.h"
#include "bpf/probe_wire.h"

#define BY_NAME __attribute__((preserve_access_index))

enum {
	THREAD_STACK = 16 * 1024, /* of the kernel, x86 and arm64; aligned to its size */
	FAR_IN_STACK = 8 << 20,	  /* user stacks further apart are two */
	NO_ROW = 0xffffffff,
};

struct sched_entity {
	__u64 nr_migrations;
} BY_NAME;

struct signal_struct {
	struct {
		int counter;
	} live;
} BY_NAME;

struct task_struct {
	int pid, tgid;
	unsigned int __state;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
	struct sched_entity se;
	struct signal_struct *signal;
} BY_NAME;

enum {
	FRAME_USER = 1 << 0,
	FRAME_OUTERMOST = 1 << 1, /* no call of the function is open below */
	FRAME_IGNORED = 1 << 2,	  /* not counted: only so that its exit finds it */
};

struct probe_frame {
	__u64 entered_ns, sp, from;
	__u64 running_ns; /* on its CPU since, or since it entered there; 0: it is not */
	__u32 target, row, cpu, flags;
	__u64 counters[PROBE_SLOT_COUNTERS]; /* as they were then */
};

struct probe_thread {
	__u64 left_ns; /* its CPU, last */
	__u64 left_counters[PROBE_SLOT_COUNTERS];
	__u32 switches; /* times it came back */
	__u32 depth;
	__u32 zero; /* for forget() */
	__u32 unused;
	struct probe_frame frames[PROBE_MAX_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct probe_thread);
} threads SEC(".maps");

/* [CPU x rows + row] */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct probe_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct probe_latency);
} latencies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct probe_values);
} values SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct probe_row_key);
	__type(value, __u32);
} keys SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct probe_row_name);
} row_names SEC(".maps");

struct entered_on_key {
	__u32 tid, target;
};

/* The CPU of a thread's entry before. A tid may be given again: the value tells whose it was. */
struct entered_on {
	__u64 task;
	__u32 cpu, zero;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct entered_on_key);
	__type(value, struct entered_on);
} last_entries SEC(".maps");

/* [counter x CPUs + CPU], of those that are the PMU's */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} counter_events SEC(".maps");

const volatile __u32 row_limit = 1;
const volatile __u32 cpu_count = 1;
const volatile __u32 row_key = PROBE_WIRE_TARGET;
const volatile __u32 counter_count = 0;
const volatile __u8 counter_kinds[PROBE_SLOT_COUNTERS] = {};

volatile __u32 phase; /* enum probe_phase; user space moves it on */
volatile __u64 opened_ns;
__u32 rows_given;
__u64 keys_lost, threads_lost;

#define ADD(sum, amount) __sync_fetch_and_add(&(sum), (amount))

static __always_inline struct probe_slot *slot_of(__u32 row, __u32 cpu)
{
	__u32 index = cpu * row_limit + row;

	return bpf_map_lookup_elem(&slots, &index);
}

/* ---- rows ---- */

static __always_inline __u32 add_row(const struct probe_row_key *key)
{
	__u32 row = __sync_fetch_and_add(&rows_given, 1), *found;
	struct probe_row_name *name = bpf_map_lookup_elem(&row_names, &row);

	if (!name) {
		__sync_fetch_and_sub(&rows_given, 1);
		return NO_ROW;
	}
	if (bpf_map_update_elem(&keys, key, &row, BPF_NOEXIST) < 0) {
		found = bpf_map_lookup_elem(&keys, key); /* another CPU was first */
		return found ? *found : NO_ROW;
	}
	name->target = key->target;
	name->id = key->id;
	name->pid = key->pid;
	bpf_get_current_comm(name->comm, sizeof(name->comm));
	__sync_fetch_and_add(&name->used, 1);
	return row;
}

static __always_inline __u32 row_of(__u32 target)
{
	struct probe_row_key key = { .target = target };
	__u64 pid_tid = bpf_get_current_pid_tgid();
	__u32 *found, row;

	if (row_key == PROBE_WIRE_TARGET)
		return target;
	if (row_key == PROBE_WIRE_COMM) {
		bpf_get_current_comm(key.comm, sizeof(key.comm));
	} else if (row_key == PROBE_WIRE_PID) {
		key.id = (__u32)(pid_tid >> 32);
	} else {
		key.id = (__u32)pid_tid;
		key.pid = (__u32)(pid_tid >> 32);
	}
	found = bpf_map_lookup_elem(&keys, &key);
	if (found)
		return *found;
	row = add_row(&key);
	if (row == NO_ROW)
		ADD(keys_lost, 1);
	return row;
}

/* ---- counters ---- */

static __always_inline __u64 count_now(__u32 number, __u32 kind, const struct task_struct *task)
{
	struct bpf_perf_event_value value = {};
	__u32 index;

	switch (kind) {
	case PROBE_WIRE_PAGE_FAULTS:
		return task->maj_flt + task->min_flt;
	case PROBE_WIRE_CONTEXT_SWITCHES:
		return task->nvcsw + task->nivcsw;
	case PROBE_WIRE_CPU_MIGRATIONS:
		return task->se.nr_migrations;
	default:
		index = number * cpu_count + bpf_get_smp_processor_id();
		if (bpf_perf_event_read_value(&counter_events, index, &value, sizeof(value)) < 0)
			return 0;
		return value.counter;
	}
}

static __always_inline void read_counters(__u64 *counters, const struct task_struct *task)
{
#pragma unroll
	for (__u32 i = 0; i < PROBE_SLOT_COUNTERS; i++) {
		if (i < counter_count)
			counters[i] = count_now(i, counter_kinds[i], task);
	}
}

/* ---- time ---- */

#define BARRIER() asm volatile("" ::: "memory")

static __always_inline __u32 switches_of(const struct probe_thread *thread)
{
	return *(const volatile __u32 *)&thread->switches;
}

/* The bound is a mask that the compiler may not see through, nor check another copy of @index. */
static __always_inline struct probe_frame *frame_at(struct probe_thread *thread, __u32 index)
{
	asm volatile("%[index] &= %[mask]" : [index] "+r"(index) : [mask] "i"(PROBE_MAX_DEPTH - 1));
	return &thread->frames[index];
}

/* The same number, of which the verifier knows nothing: what comes after a loop is looked at once
 * then, and not for every way out of it. */
static __always_inline __u32 forget(const struct probe_thread *thread, __u32 number)
{
	return number ^ *(const volatile __u32 *)&thread->zero;
}

static __always_inline bool is_timed(const struct probe_frame *frame)
{
	return (frame->flags & (FRAME_OUTERMOST | FRAME_IGNORED)) == FRAME_OUTERMOST;
}

/* From here on a switch of threads finds nothing to do with it. Returns whether it was timed. */
static __always_inline bool stop_timing(struct probe_frame *frame)
{
	bool timed = is_timed(frame);

	*(volatile __u32 *)&frame->flags |= FRAME_IGNORED;
	BARRIER();
	return timed;
}

/* Begins a stretch during which an outermost call runs on this CPU. */
static __always_inline void start_running(struct probe_frame *frame, struct probe_slot *slot,
					  const __u64 *counters, __u64 now_ns)
{
	frame->running_ns = now_ns;
#pragma unroll
	for (__u32 i = 0; i < PROBE_SLOT_COUNTERS; i++) {
		if (i < counter_count)
			frame->counters[i] = counters[i];
	}
	ADD(slot->running, probe_open_word(now_ns, opened_ns));
}

/* Ends it. */
static __always_inline void stop_running(struct probe_frame *frame, struct probe_slot *slot)
{
	if (frame->running_ns)
		ADD(slot->running, -probe_open_word(frame->running_ns, opened_ns));
	frame->running_ns = 0;
}

/* The same, and counts it. */
static __always_inline void charge(struct probe_frame *frame, struct probe_slot *slot,
				   const __u64 *counters, __u64 now_ns)
{
	if (!frame->running_ns)
		return;
	ADD(slot->virtual_ns, now_ns - frame->running_ns);
	stop_running(frame, slot);
#pragma unroll
	for (__u32 i = 0; i < PROBE_SLOT_COUNTERS; i++) {
		if (i < counter_count)
			ADD(slot->counters[i], counters[i] - frame->counters[i]);
	}
}

/* Takes an outermost call out of those that are open. */
static __always_inline void take_back(const struct probe_frame *frame)
{
	struct probe_slot *slot = slot_of(frame->row, frame->cpu);

	if (slot)
		ADD(slot->open, -probe_open_word(frame->entered_ns, opened_ns));
}

/* A call that was left without a return: nobody knows when, so none of its time counts but what was
 * charged to it as its thread left a CPU. */
static __always_inline void give_up(struct probe_frame *frame)
{
	struct probe_slot *slot = slot_of(frame->row, bpf_get_smp_processor_id());

	if (frame->flags & FRAME_IGNORED || !slot)
		return;
	ADD(slot->left, 1);
	if (!stop_timing(frame))
		return;
	take_back(frame);
	stop_running(frame, slot);
}

/* Gives up the frames above the first @depth. */
static __noinline int unwind(struct probe_thread *thread, __u32 depth)
{
	for (__u32 i = 0; i < PROBE_MAX_DEPTH && thread->depth > depth; i++) {
		give_up(frame_at(thread, thread->depth - 1));
		thread->depth--;
	}
	return 0;
}

/* ---- entry ---- */

/*
 * Can a call with this frame be open no more, while one enters that is described by the rest? It
 * can when it is deeper in the same stack: less than @reach below. Where the stack pointer is the
 * same, another function may have come in by a jump (a tail call); the same function has been
 * called again, maybe from elsewhere: an exception or a longjmp ended its call.
 */
static __always_inline bool is_stale(const struct probe_frame *frame, const struct probe_call *call,
				     bool user, __u64 reach)
{
	__u64 gap = call->sp - frame->sp;

	if (((frame->flags & FRAME_USER) != 0) != user)
		return user; /* the kernel is left; or entered from there */
	if (gap == 0)
		return frame->target == (__u32)call->cookie;
	return gap <= reach;
}

/* How many frames are left without those that are stale. */
static __always_inline __u32 live_depth(struct probe_thread *thread, const struct probe_call *call,
					bool user)
{
	__u32 depth = thread->depth;
	__u64 reach = user ? FAR_IN_STACK : call->sp % THREAD_STACK;

	for (__u32 i = 0; i < PROBE_MAX_DEPTH; i++) {
		__u32 index = depth - 1 - i;

		if (index >= PROBE_MAX_DEPTH)
			return 0;
		if (!is_stale(frame_at(thread, index), call, user, reach))
			return index + 1;
	}
	return 0;
}

static __always_inline bool is_inside(const struct probe_thread *thread, __u32 target)
{
	__u32 depth = thread->depth;

	for (__u32 i = 0; i < PROBE_MAX_DEPTH && i < depth; i++) {
		if (thread->frames[i].target == target &&
		    !(thread->frames[i].flags & FRAME_IGNORED))
			return true;
	}
	return false;
}

static __always_inline void note_cpu(__u32 target, struct probe_slot *slot)
{
	struct entered_on_key key = { .tid = (__u32)bpf_get_current_pid_tgid(), .target = target };
	struct entered_on now = { .task = bpf_get_current_task(),
				  .cpu = bpf_get_smp_processor_id() };
	struct entered_on *last = bpf_map_lookup_elem(&last_entries, &key);

	if (!last || last->task != now.task) {
		bpf_map_update_elem(&last_entries, &key, &now, BPF_ANY);
		return;
	}
	if (last->cpu == now.cpu)
		return;
	ADD(slot->moved, 1);
	last->cpu = now.cpu;
}

/* A frame for a call, not timed yet; NULL: no room. */
static __always_inline struct probe_frame *
push(struct probe_thread *thread, const struct probe_call *call, __u32 row, __u64 now_ns)
{
	__u32 index = thread->depth;
	struct probe_frame *frame = frame_at(thread, index);

	if (index >= PROBE_MAX_DEPTH)
		return NULL;
	/* What interrupts from here on pushes above it. */
	*(volatile __u32 *)&thread->depth = index + 1;
	BARRIER();
	frame->entered_ns = now_ns;
	frame->running_ns = 0;
	frame->sp = call->sp;
	frame->from = call->from;
	frame->target = (__u32)call->cookie;
	frame->row = row;
	frame->cpu = bpf_get_smp_processor_id();
	BARRIER();
	return frame;
}

static __always_inline void begin_running(struct probe_frame *frame, __u32 flags,
					  struct probe_slot *slot, __u64 now_ns)
{
	__u64 counters[PROBE_SLOT_COUNTERS] = {};

	read_counters(counters, bpf_get_current_task_btf());
	start_running(frame, slot, counters, now_ns);
	BARRIER();
	*(volatile __u32 *)&frame->flags = flags;
	BARRIER();
}

/* Its virtual time, from @now_ns on. If it was switched out before its flags told of it (there were
 * @switches then), it has been on its CPU only since now. */
static __always_inline void time_running(struct probe_thread *thread, struct probe_frame *frame,
					 __u32 flags, struct probe_slot *slot, __u32 switches,
					 __u64 now_ns)
{
	begin_running(frame, flags, slot, now_ns);
	if (switches_of(thread) == switches || frame->running_ns != now_ns)
		return;
	stop_timing(frame);
	stop_running(frame, slot);
	begin_running(frame, flags, slot, bpf_ktime_get_ns());
}

static __always_inline void enter_counted(struct probe_thread *thread,
					  const struct probe_call *call, __u32 row,
					  struct probe_slot *slot, bool user, bool nested)
{
	__u32 flags = (user ? FRAME_USER : 0) | (nested ? 0 : FRAME_OUTERMOST);
	__u32 switches = switches_of(thread);
	__u64 now_ns = bpf_ktime_get_ns();
	struct probe_frame *frame = push(thread, call, row, now_ns);

	if (nested)
		ADD(slot->nested, 1);
	if (!frame) {
		ADD(slot->too_deep, 1);
		return;
	}
	if (nested) {
		frame->flags = flags;
		return;
	}
	ADD(slot->open, probe_open_word(now_ns, opened_ns));
	if (todo & PROBE_DO_VIRTUAL)
		time_running(thread, frame, flags, slot, switches, now_ns);
	else
		frame->flags = flags;
}

static __always_inline void enter_ignored(struct probe_thread *thread,
					  const struct probe_call *call, bool user)
{
	struct probe_frame *frame = push(thread, call, 0, 0);

	if (frame)
		frame->flags = FRAME_IGNORED | (user ? FRAME_USER : 0);
}

/* Counts the entry into a wanted process's function. Returns its slot; NULL: it is not to be
 * counted. */
static __always_inline struct probe_slot *count(const struct probe_call *call, __u32 *ret_row)
{
	struct probe_slot *slot;
	__u32 row;

	if (phase != PROBE_OPEN || !is_wanted(call))
		return NULL;
	row = row_of((__u32)call->cookie);
	if (row == NO_ROW)
		return NULL;
	slot = slot_of(row, bpf_get_smp_processor_id());
	if (!slot)
		return NULL;
	ADD(slot->entries, 1);
	if (todo & PROBE_DO_MOVED)
		note_cpu((__u32)call->cookie, slot);
	*ret_row = row;
	return slot;
}

/* Loops come first, where the verifier has few states to follow through them. */
static __always_inline int enter(const struct probe_call *call, bool user)
{
	struct probe_thread *thread;
	struct probe_slot *slot;
	__u32 row = 0, depth, nested;

	/* All threads of a process that is not wanted have no frames. */
	if (phase == PROBE_CLOSED || !is_wanted_process())
		return 0;
	thread = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL,
				      BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!thread) {
		if (count(call, &row))
			ADD(threads_lost, 1);
		return 0;
	}
	depth = forget(thread, live_depth(thread, call, user));
	if (depth < thread->depth)
		unwind(thread, depth);
	nested = forget(thread, is_inside(thread, (__u32)call->cookie));
	slot = count(call, &row);
	if (slot)
		enter_counted(thread, call, row, slot, user, nested);
	else
		enter_ignored(thread, call, user);
	return 0;
}

/* Where entries are all that is wanted. */
static __always_inline int enter_only(const struct probe_call *call)
{
	__u32 row;

	if (is_wanted_process())
		count(call, &row);
	return 0;
}

/* ---- exit ---- */

static __always_inline bool is_error(__u64 value, __u32 returns)
{
	__s64 wide = (__s64)value;
	__s32 narrow = (__s32)value;

	switch (returns) {
	case PROBE_WIRE_INT:
		return narrow < 0;
	case PROBE_WIRE_LONG:
		return wide < 0;
	case PROBE_WIRE_POINTER:
		return !value || (wide < 0 && wide >= -4095);
	case PROBE_WIRE_UNKNOWN:
		return (wide < 0 && wide >= -4095) ||
		       (value >> 32 == 0 && narrow < 0 && narrow >= -4095);
	default:
		return false;
	}
}

/* As a signed number, for the histogram. */
static __always_inline __s64 value_of(__u64 value, __u32 returns)
{
	__s32 narrow = (__s32)value;

	if (returns == PROBE_WIRE_INT)
		return narrow;
	if (returns == PROBE_WIRE_UNKNOWN && value >> 32 == 0 && narrow < 0 && narrow >= -4095)
		return narrow;
	return (__s64)value;
}

static __always_inline void count_value(const struct probe_call *call, __u32 row,
					struct probe_slot *slot)
{
	__u32 returns = call->cookie >> PROBE_COOKIE_RETURNS_SHIFT & 0xff;
	__u32 index = bpf_get_smp_processor_id() * row_limit + row, bucket;
	struct probe_values *found;

	if (is_error(call->value, returns))
		ADD(slot->errors, 1);
	if (!(todo & PROBE_DO_VALUES) || returns == PROBE_WIRE_NOTHING)
		return;
	found = bpf_map_lookup_elem(&values, &index);
	bucket = probe_value_bucket(value_of(call->value, returns));
	if (found && bucket < PROBE_VALUE_BUCKETS)
		ADD(found->buckets[bucket], 1);
}

static __always_inline void count_latency(__u32 row, __u64 took_ns)
{
	__u32 index = bpf_get_smp_processor_id() * row_limit + row, bucket;
	struct probe_latency *found;

	if (!(todo & PROBE_DO_LATENCY))
		return;
	found = bpf_map_lookup_elem(&latencies, &index);
	bucket = probe_latency_bucket(took_ns);
	if (found && bucket < PROBE_LATENCY_BUCKETS)
		ADD(found->buckets[bucket], 1);
}

/* Ends the times of a call. Returns when that was. */
static __always_inline __u64 end_call(struct probe_thread *thread, struct probe_frame *frame,
				      struct probe_slot *slot)
{
	bool timed = stop_timing(frame);
	__u32 switches = switches_of(thread);
	__u64 counters[PROBE_SLOT_COUNTERS] = {};
	__u64 now_ns = bpf_ktime_get_ns();

	if (!timed)
		return now_ns;
	if (todo & PROBE_DO_VIRTUAL) {
		read_counters(counters, bpf_get_current_task_btf());
		if (switches_of(thread) != switches) {
			now_ns = thread->left_ns; /* it was switched out just here */
			charge(frame, slot, thread->left_counters, now_ns);
		} else {
			charge(frame, slot, counters, now_ns);
		}
	}
	ADD(slot->wall_ns, now_ns - frame->entered_ns);
	take_back(frame);
	return now_ns;
}

static __always_inline void count_exit(struct probe_thread *thread, struct probe_frame *frame,
				       const struct probe_call *call)
{
	struct probe_slot *slot = slot_of(frame->row, bpf_get_smp_processor_id());
	__u64 took_ns;

	if (!slot)
		return;
	took_ns = end_call(thread, frame, slot) - frame->entered_ns;
	ADD(slot->exits, 1);
	count_value(call, frame->row, slot);
	count_latency(frame->row, took_ns);
	if (took_ns > slot->longest_ns)
		slot->longest_ns = took_ns;
}

/* The index of the call that returns, + 1; 0: its entry was not seen. The kernel has several
 * stacks, and not every way to its exits tells which: only within one the stack pointers have to
 * agree. */
static __always_inline __u32 find_frame(struct probe_thread *thread, const struct probe_call *call)
{
	bool user = call->cookie >> PROBE_COOKIE_USER_SHIFT & 1;
	__u64 differ = user ? ~0ULL : THREAD_STACK - 1;
	__u32 depth = thread->depth;

	for (__u32 i = 0; i < PROBE_MAX_DEPTH; i++) {
		__u32 index = depth - 1 - i;
		const struct probe_frame *frame;

		if (index >= PROBE_MAX_DEPTH)
			return 0;
		frame = frame_at(thread, index);
		if (frame->target == (__u32)call->cookie && (frame->sp ^ call->sp) - 1 >= differ)
			return index + 1;
	}
	return 0;
}

static __always_inline void count_unmatched(const struct probe_call *call)
{
	struct probe_slot *slot;
	__u32 row;

	if (phase != PROBE_OPEN)
		return;
	row = row_of((__u32)call->cookie);
	slot = row == NO_ROW ? NULL : slot_of(row, bpf_get_smp_processor_id());
	if (slot)
		ADD(slot->unmatched, 1);
}

static __always_inline int leave(const struct probe_call *call)
{
	struct probe_thread *thread;
	struct probe_frame *frame;
	__u32 found;

	if (phase == PROBE_CLOSED)
		return 0;
	thread = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL, 0);
	found = thread ? forget(thread, find_frame(thread, call)) : 0;
	if (!thread || !found) {
		if (is_wanted_process())
			count_unmatched(call);
		return 0;
	}
	if (thread->depth > found)
		unwind(thread, found);
	frame = frame_at(thread, found - 1);
	if (!(frame->flags & FRAME_IGNORED))
		count_exit(thread, frame, call);
	thread->depth = found - 1;
	return 0;
}

#endif
