/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What the probe programs do at an entry and an exit, independent of how they are attached.
 *
 * If the return value decides whether a call counts, its frame is undecided until it returns: no
 * sum includes it before, and its virtual time is computed from what its thread spent meanwhile.
 */
#ifndef BPF_PROBE_CALLS_BPF_H
#define BPF_PROBE_CALLS_BPF_H

#include "bpf/probe_condition.bpf.h"
#include "bpf/probe_sites.bpf.h"
#include "bpf/probe_stacks.bpf.h"
#include "bpf/probe_threads.bpf.h"
#include "bpf/probe_values.bpf.h"
#include "bpf/probe_wire.h"

/* Bytes that a return takes off the stack. */
#if defined(__TARGET_ARCH_x86)
enum { RETURN_POPS = 8 };
#else
enum { RETURN_POPS = 0 };
#endif

/* ---- entry ---- */

/*
 * For a frame with the stack pointer of an entering call: true if the new call has taken its place,
 * false if its function passed on its return address by a jump (a tail call). If the ends of its
 * function are probed, a jump was seen, unless some of its ends are unknown. Otherwise the same
 * function has been called again, perhaps from elsewhere: an exception or a longjmp ended the
 * frame's call.
 */
static __always_inline bool is_replaced(const struct probe_frame *frame,
					const struct probe_call *call)
{
	if (!(frame->flags & FRAME_OWN_ENDS))
		return frame->target == (__u32)call->cookie;
	if (frame->from != call->from)
		return RETURN_POPS != 0 || frame->target == (__u32)call->cookie;
	if (frame->flags & FRAME_LEFT)
		return false;
	return !(frame->flags & FRAME_PARTLY) || frame->target == (__u32)call->cookie;
}

/*
 * True if the frame's call cannot be open any more when @call enters, because it is deeper in the
 * same stack: at most @reach below.
 */
static __always_inline bool is_stale(const struct probe_frame *frame, const struct probe_call *call,
				     bool user, __u64 reach)
{
	__u64 gap = call->sp - frame->sp;

	if (((frame->flags & FRAME_USER) != 0) != user)
		return user; /* the kernel was left, or was entered from there */
	if (gap == 0)
		return is_replaced(frame, call);
	return gap <= reach;
}

/* The depth without stale frames. */
static __always_inline __u32 live_depth(struct probe_thread *thread, const struct probe_call *call)
{
	__u32 depth = thread->depth;
	__u64 reach = call->sp % THREAD_STACK;

	for (__u32 i = 0; i < PROBE_MAX_DEPTH; i++) {
		__u32 index = depth - 1 - i;

		if (index >= PROBE_MAX_DEPTH)
			return 0;
		if (!is_stale(frame_at(thread, index), call, false, reach))
			return index + 1;
	}
	return 0;
}

/* The same for functions of programs. Their BPF programs are not copied, so they may use bpf_loop,
 * which the verifier checks once. */
struct dropping {
	struct probe_thread *thread;
	const struct probe_call *call;
	__u32 place;  /* a free place for the call; PROBE_MAX_DEPTH: none */
	bool unwound; /* a call was found abandoned that no probe saw end */
};

/*
 * A call that left its function by a jump has the same return address as the function that it
 * jumped to. If the latter, or a function that it called, was abandoned, and the caller of both
 * calls again, the former has ended, too. The same holds after a longjmp to an unknown target.
 */
static __always_inline bool is_left_too(const struct probe_frame *frame,
					const struct dropping *dropping)
{
	return frame->sp == dropping->call->sp && frame->from == dropping->call->from &&
	       (dropping->unwound || frame->flags & FRAME_UNSURE);
}

/* True if a frame in the stack of the entering call has ended. */
static __always_inline bool is_gone(const struct probe_frame *frame, struct dropping *dropping,
				    __u64 reach)
{
	if (!is_stale(frame, dropping->call, true, reach) && !is_left_too(frame, dropping))
		return false;
	if (was_abandoned(frame))
		dropping->unwound = true;
	return true;
}

static long drop_top(__u32 number, struct dropping *dropping)
{
	__u32 index = dropping->thread->depth - 1;
	struct probe_frame *frame = frame_at(dropping->thread, index);

	(void)number;
	if (index >= PROBE_MAX_DEPTH || !is_gone(frame, dropping, reach_of(dropping->call)))
		return 1;
	give_up_here(dropping->thread, frame);
	dropping->thread->depth = index;
	return 0;
}

static __always_inline void drop_stale(struct probe_thread *thread, const struct probe_call *call)
{
	struct dropping dropping = { .thread = thread, .call = call };

	bpf_loop(PROBE_MAX_DEPTH, drop_top, &dropping, 0);
}

/* Judges a frame of a thread with several stacks when a call enters. */
static long judge_entering(__u32 number, struct dropping *dropping)
{
	const struct probe_call *call = dropping->call;
	__u32 index = dropping->thread->depth - 1 - number;
	struct probe_frame *frame = frame_at(dropping->thread, index);
	__u32 stack = frame->flags & FRAME_STACK;
	bool gone;

	if (index >= PROBE_MAX_DEPTH)
		return 1;
	if (frame->flags & (FRAME_DEAD | FRAME_ADRIFT) &&
	    (frame->flags & FRAME_DEAD || dropping->place == PROBE_MAX_DEPTH))
		dropping->place = index;
	if (frame->flags & FRAME_DEAD)
		return 0;
	if (stack == call->stack && (stack != FRAME_FIBER || call->sp == frame->sp))
		gone = is_gone(frame, dropping, FAR_IN_STACK);
	else
		gone = !(frame->flags & FRAME_USER) || (stack == FRAME_ALT && !call->stack);
	if (gone) {
		give_up(frame);
		bury_here(frame);
	} else if (stack == FRAME_FIBER &&
		   (!call->stack ||
		    (call->stack == stack && call->sp - frame->sp - 1 < FAR_IN_STACK))) {
		set_adrift(frame);
	}
	return 0;
}

/* A fiber's call takes the place of a dead frame. If there is no room, it takes that of a call that
 * waits in another fiber or was left. */
static __always_inline void sort_out(struct probe_thread *thread, struct probe_call *call)
{
	struct dropping dropping = { .thread = thread, .call = call, .place = PROBE_MAX_DEPTH };

	bpf_loop(PROBE_MAX_DEPTH, judge_entering, &dropping, 0);
	tidy(thread);
	thread->mixed = 1;
	call->place = thread->depth;
	if (dropping.place < thread->depth &&
	    (thread->depth == PROBE_MAX_DEPTH ||
	     frame_at(thread, dropping.place)->flags & FRAME_DEAD))
		call->place = dropping.place;
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

/* True if the thread enters on another CPU than the last time. */
static __always_inline bool has_moved(__u32 target)
{
	struct entered_on_key key = { .tid = (__u32)bpf_get_current_pid_tgid(), .target = target };
	struct entered_on now = { .task = bpf_get_current_task(),
				  .cpu = bpf_get_smp_processor_id() };
	struct entered_on *last = bpf_map_lookup_elem(&last_entries, &key);

	if (!last || last->task != now.task) {
		bpf_map_update_elem(&last_entries, &key, &now, BPF_ANY);
		return false;
	}
	if (last->cpu == now.cpu)
		return false;
	last->cpu = now.cpu;
	return true;
}

/* A frame for a call, not timed yet; NULL if there is no room. */
static __always_inline struct probe_frame *
push(struct probe_thread *thread, const struct probe_call *call, __u32 row, __u64 now_ns)
{
	__u32 index = call->stack == FRAME_FIBER ? call->place : thread->depth;
	struct probe_frame *frame = frame_at(thread, index);

	if (index >= PROBE_MAX_DEPTH)
		return NULL;
	/* An interrupt from here on pushes its frames above this one. */
	if (index == thread->depth)
		*(volatile __u32 *)&thread->depth = index + 1;
	BARRIER();
	frame->entered_ns = now_ns;
	frame->running_ns = 0;
	frame->sp = call->sp;
	frame->from = call->from;
	frame->target = (__u32)call->cookie;
	frame->again = 0;
	frame->returns = call->cookie >> PROBE_COOKIE_RETURNS_SHIFT & PROBE_COOKIE_RETURNS_MASK;
	frame->row = row;
	frame->cpu = bpf_get_smp_processor_id();
	frame->charged_ns = 0;
	__builtin_memset(frame->charged, 0, sizeof(frame->charged));
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

/* On a busy machine a thread may be switched out several times in a row while a program reads its
 * times, which would then have the time that it was away. */
enum { READ_ATTEMPTS = 8 };

/* Starts its virtual time at @now_ns. If the thread was switched out before the flags said that the
 * frame is timed (there were @switches then), the call has been on this CPU only since now. */
static __always_inline void time_running(struct probe_thread *thread, struct probe_frame *frame,
					 __u32 flags, struct probe_slot *slot, __u32 switches,
					 __u64 now_ns)
{
	begin_running(frame, flags, slot, now_ns);
#pragma clang loop unroll(disable)
	for (__u32 attempt = 1; attempt < READ_ATTEMPTS; attempt++) {
		if (switches_of(thread) == switches || frame->running_ns != now_ns)
			return;
		stop_timing(frame);
		stop_running(frame, slot);
		switches = switches_of(thread);
		now_ns = bpf_ktime_get_ns();
		begin_running(frame, flags, slot, now_ns);
	}
}

static __always_inline void enter_counted(struct probe_thread *thread,
					  const struct probe_call *call, __u32 row,
					  struct probe_slot *slot, bool nested)
{
	__u32 flags = call->flags | (nested ? 0 : FRAME_OUTERMOST);
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
	if (todo & PROBE_DO_VIRTUAL && !(flags & FRAME_GO))
		time_running(thread, frame, flags, slot, switches, now_ns);
	else
		frame->flags = flags;
}

static __always_inline void enter_ignored(struct probe_thread *thread,
					  const struct probe_call *call)
{
	struct probe_frame *frame = push(thread, call, 0, 0);

	if (frame)
		frame->flags = FRAME_IGNORED | call->flags;
}

/* Counts an entry in a wanted process. Returns its slot; NULL if the entry does not count. */
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
	if (todo & PROBE_DO_MOVED && has_moved((__u32)call->cookie))
		ADD(slot->moved, 1);
	*ret_row = row;
	return slot;
}

/* ---- calls that the return decides ---- */

/* What the thread has spent so far. Repeats if the thread is switched out meanwhile. */
static __always_inline void spent_now(struct probe_thread *thread, __u64 *ret_ns,
				      __u64 *ret_counters)
{
	struct probe_spent *spent = &thread->spent;
	__u64 counters[PROBE_SLOT_COUNTERS] = {};

#pragma clang loop unroll(disable)
	for (__u32 attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
		__u32 switches = switches_of(thread);
		__u64 now_ns = bpf_ktime_get_ns();

		read_counters(counters, bpf_get_current_task_btf());
		if (!spent->since_ns) {
			spent->since_ns = now_ns;
			__builtin_memcpy(spent->since_counters, counters, sizeof(counters));
		}
		*ret_ns = spent->ns + now_ns - spent->since_ns;
#pragma unroll
		for (__u32 i = 0; i < PROBE_SLOT_COUNTERS; i++) {
			if (i < counter_count)
				ret_counters[i] =
					spent->counters[i] + counters[i] - spent->since_counters[i];
		}
		if (switches_of(thread) == switches)
			break;
	}
}

static __always_inline void count_too_deep(const struct probe_call *call)
{
	__u32 row = row_of((__u32)call->cookie);
	struct probe_slot *slot = row == NO_ROW ? NULL : slot_of(row, bpf_get_smp_processor_id());

	if (slot)
		ADD(slot->too_deep, 1);
}

static __always_inline void enter_undecided(struct probe_thread *thread,
					    const struct probe_call *call, bool nested)
{
	__u32 flags = call->flags | (nested ? 0 : FRAME_OUTERMOST);
	bool wanted = phase == PROBE_OPEN && is_wanted(call);
	struct probe_frame *frame = push(thread, call, 0, bpf_ktime_get_ns());

	flags |= wanted ? FRAME_UNDECIDED : FRAME_IGNORED;
	if (!frame) {
		if (wanted)
			count_too_deep(call);
		return;
	}
	if (wanted && todo & PROBE_DO_MOVED && has_moved((__u32)call->cookie))
		flags |= FRAME_MOVED;
	if (wanted && !nested && todo & PROBE_DO_VIRTUAL && !(flags & FRAME_GO))
		spent_now(thread, &frame->running_ns, frame->counters);
	BARRIER();
	*(volatile __u32 *)&frame->flags = flags;
}

/* ---- any entry ---- */

/* There is no memory for the thread's calls, so the call's exit cannot be matched. If the exit
 * decides whether it counts, it does not count. */
static __always_inline void lose(const struct probe_call *call)
{
	__u32 row;

	if (todo & PROBE_ON_RETURN ? phase == PROBE_OPEN && is_wanted(call)
				   : count(call, &row) != NULL)
		ADD(threads_lost, 1);
}

static __always_inline void describe(struct probe_call *call)
{
	call->flags = FRAME_USER;
	if (call->cookie >> PROBE_COOKIE_OWN_ENDS_SHIFT & 1)
		call->flags |= FRAME_OWN_ENDS;
	if (call->cookie >> PROBE_COOKIE_PARTLY_SHIFT & 1)
		call->flags |= FRAME_PARTLY;
	if (call->cookie >> PROBE_COOKIE_SITES_SHIFT & 1)
		call->flags |=
			is_armed(call->from, go_of(call)) ? FRAME_SITES | FRAME_ARMED : FRAME_SITES;
	if (go_of(call))
		call->flags |= FRAME_GO;
}

/*
 * True if a function jumped to its own start, instead of calling itself or in a loop. The frame
 * stays the same, and all these calls return together.
 */
static __always_inline bool enter_again(struct probe_thread *thread, const struct probe_call *call)
{
	struct probe_frame *frame = frame_at(thread, thread->depth - 1);
	struct probe_slot *slot;
	__u32 row;

	if (!thread->depth || frame->target != (__u32)call->cookie || frame->sp != call->sp ||
	    frame->from != call->from ||
	    (frame->flags & (FRAME_LEFT | FRAME_IGNORED | FRAME_UNDECIDED)) != FRAME_LEFT)
		return false;
	frame->flags &= ~FRAME_LEFT;
	slot = count(call, &row);
	if (!slot)
		return true;
	ADD(slot->nested, 1);
	frame->again++;
	return true;
}

/* Loops come first, where the verifier has few states to follow through them. */
static __always_inline int enter(struct probe_call *call, bool user)
{
	struct probe_thread *thread;
	struct probe_slot *slot;
	__u32 row = 0, depth, nested;

	/* Threads of processes that are not wanted have no frames. */
	if (phase == PROBE_CLOSED || !is_wanted_process())
		return 0;
	thread = user && go_of(call) ? find_goroutine(call, true)
				     : bpf_task_storage_get(&threads, bpf_get_current_task_btf(),
							    NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!thread) {
		lose(call);
		return 0;
	}
	if (user) {
		describe(call);
		if (!go_of(call))
			call->stack = stack_at(thread, call->sp);
		call->flags |= call->stack;
		if (call->stack || thread->mixed)
			sort_out(thread, call);
		else
			drop_stale(thread, call);
		if (enter_again(thread, call))
			return 0;
	} else {
		depth = forget(thread, live_depth(thread, call));
		if (depth < thread->depth)
			unwind(thread, depth);
	}
	nested = forget(thread, is_inside(thread, (__u32)call->cookie));
	if (todo & PROBE_ON_RETURN) {
		enter_undecided(thread, call, nested);
		return 0;
	}
	slot = count(call, &row);
	if (slot)
		enter_counted(thread, call, row, slot, nested);
	else
		enter_ignored(thread, call);
	return 0;
}

/* For metrics that need entries only. */
static __always_inline int enter_only(const struct probe_call *call)
{
	__u32 row;

	if (is_wanted_process())
		count(call, &row);
	return 0;
}

/* ---- exit ---- */

/* Ends the times of a call. Returns the time of that. */
static __always_inline __u64 end_call(struct probe_thread *thread, struct probe_frame *frame,
				      struct probe_slot *slot)
{
	bool timed = stop_timing(frame);
	__u32 switches = switches_of(thread);
	__u64 counters[PROBE_SLOT_COUNTERS] = {};
	__u64 now_ns = bpf_ktime_get_ns();

	if (!timed)
		return now_ns;
	if (todo & PROBE_DO_VIRTUAL && !(frame->flags & FRAME_GO)) {
		read_counters(counters, bpf_get_current_task_btf());
		if (switches_of(thread) != switches) {
			now_ns = thread->left_ns; /* it was switched out just now */
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
	ADD(slot->exits, 1 + frame->again);
	ADD(slot->timed, 1);
	if (!(frame->flags & FRAME_LEFT))
		ADD(slot->jumps, 1);
	count_value(call, frame->row, slot, 1 + frame->again);
	count_latency(frame->row, took_ns);
	if (took_ns > slot->longest_ns)
		slot->longest_ns = took_ns;
}

/* The same for a call that is adrift. */
static __always_inline void count_adrift(const struct probe_frame *frame,
					 const struct probe_call *call)
{
	struct probe_slot *slot = slot_of(frame->row, bpf_get_smp_processor_id());

	if (!slot)
		return;
	ADD(slot->exits, 1 + frame->again);
	if (!(frame->flags & FRAME_LEFT))
		ADD(slot->jumps, 1);
	count_value(call, frame->row, slot, 1 + frame->again);
}

/* Adds what a call spent on CPUs until now, all of it to this CPU. */
static __always_inline void charge_spent(const struct probe_frame *frame, struct probe_slot *slot,
					 __u64 ns, const __u64 *counters)
{
	ADD(slot->virtual_ns, ns - frame->running_ns);
#pragma unroll
	for (__u32 i = 0; i < PROBE_SLOT_COUNTERS; i++) {
		if (i < counter_count)
			ADD(slot->counters[i], counters[i] - frame->counters[i]);
	}
}

static __always_inline void decide(struct probe_thread *thread, const struct probe_frame *frame,
				   const struct probe_call *call)
{
	__u64 spent_ns = 0, counters[PROBE_SLOT_COUNTERS] = {}, took_ns;
	struct probe_slot *slot;
	__u32 row;

	if (todo & PROBE_DO_VIRTUAL && !(frame->flags & FRAME_GO))
		spent_now(thread, &spent_ns, counters);
	took_ns = bpf_ktime_get_ns() - frame->entered_ns; /* spent_ns is never more */
	if (call->returns == PROBE_WIRE_NOTHING || !holds(call, &return_steps))
		return;
	row = row_of((__u32)call->cookie);
	slot = row == NO_ROW ? NULL : slot_of(row, bpf_get_smp_processor_id());
	if (!slot)
		return;
	ADD(slot->entries, 1);
	ADD(slot->exits, 1);
	ADD(slot->jumps, 1);
	if (frame->flags & FRAME_MOVED)
		ADD(slot->moved, 1);
	if (frame->flags & FRAME_ADRIFT) {
		ADD(slot->switched, 1);
		count_value(call, row, slot, 1);
		return;
	}
	ADD(slot->timed, 1);
	if (!(frame->flags & FRAME_OUTERMOST)) {
		ADD(slot->nested, 1);
	} else {
		ADD(slot->wall_ns, took_ns);
		if (todo & PROBE_DO_VIRTUAL && !(frame->flags & FRAME_GO))
			charge_spent(frame, slot, spent_ns, counters);
	}
	count_value(call, row, slot, 1);
	count_latency(row, took_ns);
	if (took_ns > slot->longest_ns)
		slot->longest_ns = took_ns;
}

/* The index of the returning call, + 1; 0 if its entry was not seen. The kernel has several stacks,
 * and not every path to its exits shows which one; so stack pointers only have to agree within a
 * stack. */
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

static __always_inline int leave(struct probe_call *call, bool user)
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
	if (thread->depth > found && !thread->mixed)
		unwind(thread, found);
	frame = frame_at(thread, found - 1);
	read_value(call);
	if (user)
		settle_start(thread, found - 1, call);
	if (frame->flags & FRAME_ADRIFT && frame->flags & FRAME_IGNORED) {
		count_adrift(frame, call);
	} else if (!(frame->flags & FRAME_IGNORED)) {
		if (todo & PROBE_ON_RETURN && frame->flags & FRAME_UNDECIDED)
			decide(thread, frame, call);
		else
			count_exit(thread, frame, call);
	}
	if (thread->depth > found)
		bury_here(frame);
	else
		thread->depth = found - 1;
	return 0;
}

#endif
