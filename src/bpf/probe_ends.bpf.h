/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Ends of calls of programs' functions whose return addresses must not be replaced. Probes at other
 * places see them: at the functions' own returns and jumps, after calls, and where stacks are
 * unwound. Each such probe also shows that everything deeper in the stack has ended.
 */
#ifndef BPF_PROBE_ENDS_BPF_H
#define BPF_PROBE_ENDS_BPF_H

#include "bpf/probe_calls.bpf.h"
#include "bpf/probe_sites.bpf.h"
#include "bpf/probe_wire.h"

/* A thread at such a place. The stack pointer is what it was when the calls entered that end here.
 */
struct arrival {
	struct probe_thread *thread;
	struct probe_call call;
	__u32 found;	  /* frames from this one on have ended */
	bool keeps_equal; /* calls that entered with this stack pointer continue */
	bool unwinding;	  /* it came by an exception or a longjmp: no call returned */
	bool at_site;	  /* the place is a return address of calls */
	bool unwound;	  /* a call was found abandoned that no probe saw end */
	__u64 crossed_ns; /* entry of the last call that may be of another fiber */
	__u64 began_ns;	  /* entry of the fiber's call that returned here; 0: none */
};

/* ---- one frame ---- */

/* The part of a cookie that belongs to one function; if several return together, they share the
 * rest. */
#define COOKIE_OF_ONE \
	(0xffffffffULL | (__u64)PROBE_COOKIE_RETURNS_MASK << PROBE_COOKIE_RETURNS_SHIFT)

/* Reads what the frame's call returned. A separate function: otherwise the functions it calls would
 * find too little stack below return_frame (512 bytes in total). */
static __noinline int read_return(struct probe_thread *thread, __u32 index, struct probe_call *call)
{
	struct probe_frame *frame = frame_at(thread, index);

	call->cookie = (call->cookie & ~COOKIE_OF_ONE) | frame->target |
		       (__u64)frame->returns << PROBE_COOKIE_RETURNS_SHIFT;
	read_value(call);
	settle_start(thread, index, call);
	return 0;
}

/* Ends a call whose value was read. Global, so that the verifier checks it once and not for each
 * path that leads here, which fails where values are counted (-E2BIG). The pointers are never NULL,
 * but the verifier does not know that. */
__noinline int return_frame(struct probe_thread *thread, __u32 index, struct probe_call *call)
{
	struct probe_frame *frame;

	if (!thread || !call)
		return 0;
	frame = frame_at(thread, index);
	if (frame->flags & FRAME_IGNORED) {
		if (frame->flags & FRAME_ADRIFT)
			count_adrift(frame, call);
		return 0;
	}
	if (todo & PROBE_ON_RETURN && frame->flags & FRAME_UNDECIDED)
		decide(thread, frame, call);
	else
		count_exit(thread, frame, call);
	return 0;
}

/* The call was unwound just now. */
static __noinline int abandon_frame(struct probe_thread *thread, struct probe_frame *frame)
{
	struct probe_slot *slot = slot_of(frame->row, bpf_get_smp_processor_id());
	__u64 took_ns;

	if (frame->flags & (FRAME_IGNORED | FRAME_UNDECIDED) || !slot)
		return 0;
	took_ns = end_call(thread, frame, slot) - frame->entered_ns;
	ADD(slot->abandoned, 1);
	ADD(slot->timed, 1);
	count_latency(frame->row, took_ns);
	if (took_ns > slot->longest_ns)
		slot->longest_ns = took_ns;
	return 0;
}

/* The call's end is unknown: no probe is where the function it jumped to returns, or the call may
 * have been abandoned. Global: the compiler would drop the unused return value of a static function
 * and leave a stack address in its register, which the verifier rejects. @thread is never NULL. */
__noinline int lose_end(struct probe_thread *thread, __u32 index)
{
	struct probe_frame *frame;
	struct probe_slot *slot;
	__u32 row;

	if (!thread)
		return 0;
	frame = frame_at(thread, index);
	if (frame->flags & (FRAME_IGNORED | FRAME_ADRIFT))
		return 0;
	row = frame->flags & FRAME_UNDECIDED ? row_of(frame->target) : frame->row;
	slot = row == NO_ROW ? NULL : slot_of(row, bpf_get_smp_processor_id());
	if (!slot)
		return 0;
	ADD(slot->unseen, 1);
	give_up_time(frame, slot);
	frame->flags |= FRAME_IGNORED;
	return 0;
}

/* ---- all calls that end at a place ---- */

enum frame_end { FRAME_LIVES, FRAME_RETURNED, FRAME_UNWOUND, FRAME_GONE, FRAME_LOST };

/*
 * A call returned to the frame's return address. If the frame's function had not been left by a
 * jump, its own return would have been seen first. If it was, the function that it jumped to may
 * have returned now. But where stacks are unwound unseen, the call may have been abandoned, and
 * another call returned to this place.
 */
static __always_inline enum frame_end judge_at_site(const struct probe_frame *frame,
						    const struct arrival *arrival)
{
	if (!(frame->flags & (FRAME_LEFT | FRAME_PARTLY)) && frame->flags & FRAME_OWN_ENDS)
		return FRAME_GONE;
	return arrival->unwound || frame->flags & FRAME_UNSURE ? FRAME_LOST : FRAME_RETURNED;
}

/* An exception's handler is called with the same stack pointer as the function that threw. A
 * function called there before has returned, or another one has taken its place. */
static __always_inline enum frame_end judge_frame(const struct probe_frame *frame,
						  const struct arrival *arrival)
{
	__u64 gap = arrival->call.sp - frame->sp;
	bool same_from = frame->from == arrival->call.from;

	if (!(frame->flags & FRAME_USER))
		return FRAME_GONE;
	if (gap > reach_of(&arrival->call))
		return FRAME_LIVES;
	if (arrival->keeps_equal && !gap)
		return FRAME_LIVES;
	if (arrival->unwinding)
		return gap || !same_from ? FRAME_UNWOUND : FRAME_LIVES;
	if (gap)
		return FRAME_GONE;
	if (same_from)
		return arrival->at_site ? judge_at_site(frame, arrival) : FRAME_RETURNED;
	/* If the return address is in a register, another call may have this stack pointer. */
	return RETURN_POPS != 0 && frame->flags & FRAME_OWN_ENDS ? FRAME_GONE : FRAME_LIVES;
}

static __always_inline void end_frame_so(struct arrival *arrival, __u32 index, enum frame_end end)
{
	struct probe_thread *thread = arrival->thread;
	struct probe_frame *frame = frame_at(thread, index);

	switch (end) {
	case FRAME_LIVES:
		break;
	case FRAME_RETURNED:
		read_return(thread, index, &arrival->call);
		return_frame(thread, index, &arrival->call);
		break;
	case FRAME_UNWOUND:
		abandon_frame(thread, frame);
		break;
	case FRAME_GONE:
		if (was_abandoned(frame))
			arrival->unwound = true;
		give_up_here(thread, frame);
		break;
	case FRAME_LOST:
		lose_end(thread, index);
		break;
	}
}

static long arrive_at_frame(__u32 number, struct arrival *arrival)
{
	struct probe_thread *thread = arrival->thread;
	__u32 index = thread->depth - 1;
	struct probe_frame *frame = frame_at(thread, index);
	enum frame_end end;

	(void)number;
	if (index >= PROBE_MAX_DEPTH)
		return 1;
	end = index >= arrival->found ? FRAME_GONE : judge_frame(frame, arrival);
	if (end == FRAME_LIVES)
		return 1;
	end_frame_so(arrival, index, end);
	thread->depth = index;
	return 0;
}

/* In a thread with several stacks: a frame that is deeper in a fiber's stack, or in a fiber while
 * the thread is elsewhere, becomes adrift. */
static long look_for_crossing(__u32 index, struct arrival *arrival)
{
	struct probe_frame *frame = frame_at(arrival->thread, index);
	__u32 at = arrival->call.stack;

	if ((frame->flags & (FRAME_FIBER | FRAME_DEAD)) != FRAME_FIBER ||
	    (at && (at != FRAME_FIBER || arrival->call.sp - frame->sp - 1 >= FAR_IN_STACK)))
		return 0;
	set_adrift(frame);
	if (frame->entered_ns > arrival->crossed_ns)
		arrival->crossed_ns = frame->entered_ns;
	return 0;
}

static __always_inline enum frame_end judge_mixed(const struct probe_frame *frame, __u32 index,
						  const struct arrival *arrival)
{
	__u32 stack = frame->flags & FRAME_STACK, at = arrival->call.stack;

	if (stack == FRAME_ALT && !at)
		return arrival->unwinding ? FRAME_UNWOUND : FRAME_GONE;
	if (stack != at)
		return FRAME_LIVES;
	if (stack == FRAME_FIBER && arrival->call.sp != frame->sp)
		return FRAME_LIVES;
	return index >= arrival->found ? FRAME_GONE : judge_frame(frame, arrival);
}

static long arrive_at_mixed(__u32 number, struct arrival *arrival)
{
	struct probe_thread *thread = arrival->thread;
	__u32 index = thread->depth - 1 - number;
	struct probe_frame *frame = frame_at(thread, index);
	enum frame_end end;

	if (index >= PROBE_MAX_DEPTH)
		return 1;
	if (frame->flags & FRAME_DEAD)
		return 0;
	end = judge_mixed(frame, index, arrival);
	if (end == FRAME_LIVES)
		return 0;
	if (end == FRAME_RETURNED && frame->flags & FRAME_FIBER) {
		if (arrival->crossed_ns > frame->entered_ns)
			set_adrift(frame);
		arrival->began_ns = frame->entered_ns;
	}
	end_frame_so(arrival, index, end);
	bury_here(frame);
	return 0;
}

/* A call that began after the one that has now returned, but above it, waits in another fiber. */
static long look_for_waiting(__u32 index, struct arrival *arrival)
{
	struct probe_frame *frame = frame_at(arrival->thread, index);

	if ((frame->flags & (FRAME_FIBER | FRAME_DEAD)) == FRAME_FIBER &&
	    frame->entered_ns > arrival->began_ns &&
	    frame->sp - arrival->call.sp - 1 < FAR_IN_STACK)
		set_adrift(frame);
	return 0;
}

static __always_inline void arrive(struct arrival *arrival)
{
	struct probe_thread *thread = arrival->thread;

	if (!thread->mixed && !arrival->call.stack) {
		bpf_loop(PROBE_MAX_DEPTH, arrive_at_frame, arrival, 0);
		return;
	}
	bpf_loop(thread->depth, look_for_crossing, arrival, 0);
	bpf_loop(PROBE_MAX_DEPTH, arrive_at_mixed, arrival, 0);
	if (arrival->began_ns)
		bpf_loop(thread->depth, look_for_waiting, arrival, 0);
	tidy(thread);
}

/* ---- places: each function returns whether calls may end there ---- */

/* Sets @found to the frame of the function that contains the place, + 1; 0 if there is none. */
static long find_own_frame(__u32 number, struct arrival *arrival)
{
	__u32 index = arrival->thread->depth - 1 - number;
	const struct probe_frame *frame = frame_at(arrival->thread, index);

	if (index >= PROBE_MAX_DEPTH)
		return 1;
	if (frame->target != (__u32)arrival->call.cookie || frame->sp != arrival->call.sp ||
	    (frame->flags & (FRAME_USER | FRAME_DEAD)) != FRAME_USER)
		return 0;
	arrival->found = index + 1;
	return 1;
}

/* Sets @found to the index, + 1, of the abandoned call in whose function the place is. */
static long find_given_up(__u32 index, struct arrival *arrival)
{
	const struct probe_given_up *kept = given_up_at(arrival->thread, index);

	if (kept->sp != arrival->call.sp || kept->target != (__u32)arrival->call.cookie)
		return 0;
	arrival->found = index + 1;
	return 1;
}

/* The call was not abandoned: its thread was on another stack meanwhile. */
static __noinline int count_given_up(struct arrival *arrival, struct probe_given_up *kept,
				     bool returned)
{
	struct probe_slot *slot = slot_of(kept->row, kept->cpu);

	kept->sp = 0;
	if (!slot || kept->flags & FRAME_UNDECIDED)
		return 0;
	ADD(slot->abandoned, -1);
	ADD(slot->switched, 1);
	slot = slot_of(kept->row, bpf_get_smp_processor_id());
	if (!slot)
		return 0;
	ADD(slot->jumps, 1);
	if (returned) {
		ADD(slot->exits, 1);
		read_value(&arrival->call);
		count_value(&arrival->call, kept->row, slot, 1);
	}
	return 0;
}

/* No open call is known of the function that ends here. True if one was counted as abandoned. If
 * there is no room, it may be another call without a frame. */
static __always_inline bool recall(struct arrival *arrival, bool returned)
{
	struct probe_thread *thread = arrival->thread;

	if (thread->depth >= PROBE_MAX_DEPTH)
		return false;
	bpf_loop(GIVEN_UP_KEPT, find_given_up, arrival, 0);
	if (!arrival->found)
		return false;
	find_fibers_in_own_stack(thread);
	count_given_up(arrival, given_up_at(thread, arrival->found - 1), returned);
	return true;
}

/* A function's own return. The functions that jumped to it return, too. */
static __always_inline bool arrive_at_return(struct arrival *arrival)
{
	if (!arrival->found) {
		if (!recall(arrival, true))
			count_unmatched(&arrival->call);
		return false;
	}
	arrival->call.from = frame_at(arrival->thread, arrival->found - 1)->from;
	return true;
}

static __always_inline bool arrive_at_jump(struct arrival *arrival)
{
	struct probe_frame *frame = frame_at(arrival->thread, arrival->found - 1);
	struct probe_slot *slot;

	if (!arrival->found) {
		recall(arrival, false);
		return false;
	}
	/* With another return address it jumps to an address that it got elsewhere, as longjmp
	 * does: no function returns for it. */
	if (frame->flags & FRAME_LEFT || frame->from != arrival->call.from)
		return false;
	frame->flags |= FRAME_LEFT;
	slot = slot_of(frame->row, bpf_get_smp_processor_id());
	if ((frame->flags & (FRAME_IGNORED | FRAME_ADRIFT)) == FRAME_IGNORED || !slot)
		return false;
	if (!(frame->flags & FRAME_UNDECIDED))
		ADD(slot->jumps, 1);
	if (frame->flags & (FRAME_ARMED | FRAME_ADRIFT) || !(frame->flags & FRAME_SITES))
		return false;
	if (is_armed(frame->from, go_of(&arrival->call)))
		frame->flags |= FRAME_ARMED;
	else
		lose_end(arrival->thread, arrival->found - 1);
	return false;
}

/*
 * ---- where longjmp(3) leads ----
 *
 * The stack pointer is in the jmp_buf, which the C library protects: glibc
 * on x86-64 rotates it by 17 bits and mixes it with a random number of the thread
 * (sysdeps/unix/sysv/linux/x86_64/pointer_guard.h; jmpbuf-offsets.h); musl stores it unchanged. The
 * result is accepted if it is a short way above in the same mapping or, when the signal stack is
 * left, in the thread's own stack, where no wrong value falls. On arm64 only glibc's own code can
 * find its random number.
 */

enum {
	JMP_BUF_SP = 6 * 8, /* x86-64, glibc and musl */
	GUARD_AT = 0x30,    /* from the thread pointer */
	GUARD_BITS = 17,
	STACK_WORD = 8,
};

struct stack_search {
	__u64 start, end;
};

static long take_stack(struct task_struct *task, struct vm_area_struct *vma,
		       struct stack_search *search)
{
	(void)task;
	search->start = vma->vm_start;
	search->end = vma->vm_end;
	return 0;
}

/* True if @to is in the same mapping as @from and a short way above. A longjmp to a deeper stack
 * pointer makes no sense, and one to another mapping switches stacks. */
static __always_inline bool is_above(__u64 from, __u64 to)
{
	struct stack_search search = {};

	if (to <= from || to - from > FAR_IN_STACK || to % STACK_WORD)
		return false;
	bpf_find_vma(bpf_get_current_task_btf(), from, take_stack, &search, 0);
	return to > search.start && to <= search.end;
}

#if defined(__TARGET_ARCH_x86)

static __always_inline bool may_be_target(const struct probe_thread *thread,
					  const struct probe_call *call, __u64 to)
{
	if (call->stack == FRAME_ALT)
		return to > thread->stack_start && to < thread->stack_end && !(to % STACK_WORD);
	return is_above(call->sp, to);
}

/* 0 if unknown. */
static __always_inline __u64 longjmp_target(const struct probe_thread *thread,
					    const struct probe_call *call)
{
	__u64 kept = 0, guard = 0, turned;
	struct task_struct *task = bpf_get_current_task_btf();

	bpf_probe_read_user(&kept, sizeof(kept), (void *)(call->arguments[0] + JMP_BUF_SP));
	if (may_be_target(thread, call, kept))
		return kept;
	if (bpf_probe_read_user(&guard, sizeof(guard), (void *)(task->thread.fsbase + GUARD_AT)) <
	    0)
		return 0;
	turned = (kept >> GUARD_BITS | kept << (64 - GUARD_BITS)) ^ guard;
	return may_be_target(thread, call, turned) ? turned : 0;
}

#else

static __always_inline __u64 longjmp_target(const struct probe_thread *thread,
					    const struct probe_call *call)
{
	(void)thread;
	(void)call;
	return 0;
}

#endif

static long doubt_frame(__u32 index, struct arrival *arrival)
{
	frame_at(arrival->thread, index)->flags |= FRAME_UNSURE;
	return 0;
}

/* Before the jump. If its target is unknown, later events show which calls it left; for calls still
 * open at the thread's end it stays unknown. */
static __always_inline bool arrive_at_longjmp(struct arrival *arrival)
{
	__u64 target = longjmp_target(arrival->thread, &arrival->call);

	if (!target) {
		bpf_loop(arrival->thread->depth, doubt_frame, arrival, 0);
		return false;
	}
	arrival->call.sp = target;
	if (arrival->call.stack == FRAME_ALT)
		arrival->call.stack = 0;
	arrival->keeps_equal = true;
	arrival->unwinding = true;
	return true;
}

static long end_frame_of_goroutine(__u32 index, struct arrival *arrival)
{
	die(frame_at(arrival->thread, index), bpf_ktime_get_ns());
	return 0;
}

/* All open calls of the goroutine (runtime.Goexit) end as a thread's calls end with the thread. */
static __always_inline bool arrive_at_goexit(struct arrival *arrival)
{
	bpf_loop(arrival->thread->depth, end_frame_of_goroutine, arrival, 0);
	arrival->thread->depth = 0;
	return false;
}

static __always_inline int arrive_anywhere(struct arrival *arrival, __u32 spot)
{
	bool some = true;

	if (phase == PROBE_CLOSED)
		return 0;
	arrival->thread =
		go_of(&arrival->call)
			? find_goroutine(&arrival->call, false)
			: bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL, 0);
	if (!arrival->thread || (!arrival->thread->depth && !arrival->thread->given_up_count)) {
		if (spot == PROBE_SPOT_RETURN && is_wanted_process())
			count_unmatched(&arrival->call);
		return 0;
	}
	if (!go_of(&arrival->call))
		arrival->call.stack = stack_at(arrival->thread, arrival->call.sp);
	if (spot == PROBE_SPOT_RETURN || spot == PROBE_SPOT_JUMP)
		bpf_loop(PROBE_MAX_DEPTH, find_own_frame, arrival, 0);
	else
		arrival->found = PROBE_MAX_DEPTH;
	if (spot == PROBE_SPOT_RETURN)
		some = arrive_at_return(arrival);
	else if (spot == PROBE_SPOT_JUMP)
		some = arrive_at_jump(arrival);
	else if (spot == PROBE_SPOT_LONGJMP)
		some = arrive_at_longjmp(arrival);
	else if (spot == PROBE_SPOT_GOEXIT)
		some = arrive_at_goexit(arrival);
	if (some)
		arrive(arrival);
	if (go_of(&arrival->call) && !arrival->thread->depth)
		forget_goroutine(&arrival->call);
	return 0;
}

#endif
