/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The data of the probe programs: the open calls of threads, the rows that calls are counted in,
 * and how times are taken.
 *
 * Each thread has a stack of its open watched calls, stored in the task itself (task storage): it
 * follows the thread from CPU to CPU and ends with it. For Go functions, each goroutine has such a
 * stack instead (bpf/probe_stacks.bpf.h). A frame is identified by its function and the stack
 * pointer at its entry. This distinguishes calls that nest, recurse, or pass on their frame (a tail
 * call has the same stack pointer). Frames above the one that exits, or deeper in the stack than a
 * new entry, were left without a return (longjmp, an exception, a return that the kernel missed).
 *
 * If an interrupt runs these programs on the same CPU and in the same thread, it finishes before
 * the interrupted program continues: it sees the frames below as they are and leaves them
 * unchanged. Sums are added atomically. But a thread may also be switched out within a program;
 * then its frames are processed as they are. So a frame is timed exactly while its flags say so:
 * the flags are set after everything else in the frame, and no frame outside the stack is timed.
 */
#ifndef BPF_PROBE_THREADS_BPF_H
#define BPF_PROBE_THREADS_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/probe_condition.bpf.h"
#include "bpf/probe_wire.h"

enum {
	THREAD_STACK = 16 * 1024, /* kernel stack of x86 and arm64; aligned to its size */
	FAR_IN_STACK = 8 << 20,	  /* user stack pointers farther apart are in different stacks */
	GIVEN_UP_KEPT = 16,	  /* a power of two */
	NO_ROW = 0xffffffff,
};

enum {
	FRAME_USER = 1 << 0,
	FRAME_OUTERMOST = 1 << 1, /* no other call of the function is open */
	FRAME_IGNORED = 1 << 2,	  /* not counted: only so that its exit is matched */
	FRAME_UNDECIDED = 1 << 3, /* counts when it returns, if the value is as wanted */
	FRAME_MOVED = 1 << 4,	  /* undecided: it entered on another CPU than the last one */
	FRAME_OWN_ENDS = 1 << 5,  /* its function's returns and outgoing jumps are probed */
	FRAME_SITES = 1 << 6,	  /* a function that it jumps to ends at the call's site */
	FRAME_PARTLY = 1 << 7,	  /* some ends of its function are unknown */
	FRAME_ARMED = 1 << 8,	  /* that site had its probe when the call began */
	FRAME_LEFT = 1 << 9,	  /* left by a jump: another function has its return address */
	FRAME_UNSURE = 1 << 10,	  /* a longjmp may have left it */
	FRAME_GO = 1 << 11,	  /* in a goroutine: its CPU time is unknown */
	FRAME_ALT = 1 << 12,	  /* on the signal stack */
	FRAME_FIBER = 1 << 13,	  /* on none of the thread's own stacks */
	FRAME_ADRIFT = 1 << 14,	  /* counted, but its thread was on another stack meanwhile */
	FRAME_DEAD = 1 << 15,	  /* the call has ended */
};

/* In an undecided frame, running_ns and the counters are what its thread had spent at the entry. */
struct probe_frame {
	__u64 entered_ns, sp, from;
	__u64 running_ns; /* on its CPU since then or since its entry; 0: not on a CPU */
	__u32 target, row, cpu, flags;
	__u32 returns;			     /* from the cookie: what its function returns */
	__u32 again;			     /* times its function entered again by its own jump */
	__u64 counters[PROBE_SLOT_COUNTERS]; /* at that time */
	/* Already counted for earlier stretches; subtracted if its time is given up. */
	__u64 charged_ns;
	__u64 charged[PROBE_SLOT_COUNTERS];
};

/* What a thread spent on CPUs while it had undecided calls, without the current stretch. */
struct probe_spent {
	__u64 since_ns; /* 0: not on a CPU yet */
	__u64 since_counters[PROBE_SLOT_COUNTERS];
	__u64 ns;
	__u64 counters[PROBE_SLOT_COUNTERS];
};

/* A call that was counted as abandoned. */
struct probe_given_up {
	__u64 sp; /* 0: none */
	__u32 target, row, cpu, flags;
};

struct probe_thread {
	struct probe_spent spent;
	__u64 left_ns; /* when it last left its CPU */
	__u64 left_counters[PROBE_SLOT_COUNTERS];
	__u32 switches; /* times it came back to a CPU */
	__u32 depth;
	__u32 zero;		      /* for forget() */
	__u32 mixed;		      /* some frames may be on other stacks */
	__u64 stack_start, stack_end; /* its own, as far as known */
	__u64 goid;		      /* of a goroutine: its number */
	__u32 given_up_count;	      /* total; the last ones are kept */
	__u32 fibers_in_own;	      /* its own stack contains fiber stacks */
	struct probe_given_up given_up[GIVEN_UP_KEPT];
	struct probe_frame frames[PROBE_MAX_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct probe_thread);
} threads SEC(".maps");

/* [CPU * rows + row] */
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

/* The CPU of a thread's previous entry. A tid may be reused; `task` says whose entry it was. */
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

/* [counter * CPUs + CPU], for PMU events */
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

volatile __u32 phase; /* enum probe_phase; set by user space */
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

/* A bound for the verifier: a mask that the compiler cannot see through, and so cannot replace by a
 * check of another copy of the number. On other targets it is a plain mask. */
#if defined(__bpf__)
#define MASK(number, bits) \
	asm volatile("%[masked] &= %[mask]" : [masked] "+r"(number) : [mask] "i"(bits))
#else
#define MASK(number, bits) ((number) &= (bits))
#endif

static __always_inline struct probe_frame *frame_at(struct probe_thread *thread, __u32 index)
{
	MASK(index, PROBE_MAX_DEPTH - 1);
	return &thread->frames[index];
}

/* The same number, but unknown to the verifier: it then checks the code after a loop once and not
 * for every way out of the loop. */
static __always_inline __u32 forget(const struct probe_thread *thread, __u32 number)
{
	return number ^ *(const volatile __u32 *)&thread->zero;
}

static __always_inline bool is_timed(const struct probe_frame *frame)
{
	return (frame->flags & (FRAME_OUTERMOST | FRAME_IGNORED | FRAME_UNDECIDED)) ==
	       FRAME_OUTERMOST;
}

/* From here on, a switch of threads ignores the frame. Returns whether it was timed. */
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

/* Ends that stretch. */
static __always_inline void stop_running(struct probe_frame *frame, struct probe_slot *slot)
{
	if (frame->running_ns)
		ADD(slot->running, -probe_open_word(frame->running_ns, opened_ns));
	frame->running_ns = 0;
}

/* The same, and adds it to the sums. */
static __always_inline void charge(struct probe_frame *frame, struct probe_slot *slot,
				   const __u64 *counters, __u64 now_ns)
{
	if (!frame->running_ns)
		return;
	ADD(slot->virtual_ns, now_ns - frame->running_ns);
	frame->charged_ns += now_ns - frame->running_ns;
	stop_running(frame, slot);
#pragma unroll
	for (__u32 i = 0; i < PROBE_SLOT_COUNTERS; i++) {
		if (i < counter_count) {
			ADD(slot->counters[i], counters[i] - frame->counters[i]);
			frame->charged[i] += counters[i] - frame->counters[i];
		}
	}
}

/* Removes an outermost call from the open calls. */
static __always_inline void take_back(const struct probe_frame *frame)
{
	struct probe_slot *slot = slot_of(frame->row, frame->cpu);

	if (slot)
		ADD(slot->open, -probe_open_word(frame->entered_ns, opened_ns));
}

/* The same, and removes what was added for it: all times describe the same calls. */
static __always_inline void take_back_all(const struct probe_frame *frame)
{
	struct probe_slot *slot = slot_of(frame->row, frame->cpu);

	if (!slot)
		return;
	ADD(slot->open, -probe_open_word(frame->entered_ns, opened_ns));
	ADD(slot->virtual_ns, -frame->charged_ns);
#pragma unroll
	for (__u32 i = 0; i < PROBE_SLOT_COUNTERS; i++) {
		if (i < counter_count)
			ADD(slot->counters[i], -frame->charged[i]);
	}
}

/* True if a call that has ended may have returned unseen. Otherwise all ends of its function are
 * probed, so it was abandoned. */
static __always_inline bool ended_unseen(const struct probe_frame *frame)
{
	__u32 flags = frame->flags;

	return flags & FRAME_SITES && !(flags & FRAME_ARMED) && flags & (FRAME_LEFT | FRAME_PARTLY);
}

/* True if an ended call of a program was abandoned. */
static __always_inline bool was_abandoned(const struct probe_frame *frame)
{
	return frame->flags & FRAME_USER && !ended_unseen(frame);
}

/* The call is not open any more, and has no time. */
static __always_inline void give_up_time(struct probe_frame *frame, struct probe_slot *slot)
{
	if (!stop_timing(frame))
		return;
	take_back_all(frame);
	stop_running(frame, slot);
}

/* The call ended without a return that was seen. The time of that is unknown, so it has no time. */
static __always_inline void give_up(struct probe_frame *frame)
{
	struct probe_slot *slot = slot_of(frame->row, bpf_get_smp_processor_id());

	if (frame->flags & (FRAME_IGNORED | FRAME_UNDECIDED) || !slot)
		return;
	if (ended_unseen(frame))
		ADD(slot->unseen, 1);
	else
		ADD(slot->abandoned, 1);
	give_up_time(frame, slot);
}

/* The call's thread or goroutine ends at @now_ns during the call. Returns whether it was timed. */
static __always_inline bool die(struct probe_frame *frame, __u64 now_ns)
{
	struct probe_slot *slot = slot_of(frame->row, bpf_get_smp_processor_id());

	if (frame->flags & (FRAME_IGNORED | FRAME_UNDECIDED) || !slot)
		return false;
	if (ended_unseen(frame) || frame->flags & FRAME_UNSURE) {
		ADD(slot->unseen, 1);
		give_up_time(frame, slot);
		return false;
	}
	ADD(slot->died, 1);
	if (!stop_timing(frame))
		return false;
	take_back(frame);
	ADD(slot->wall_ns, now_ns - frame->entered_ns);
	return true;
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

#endif
