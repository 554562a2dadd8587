/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Where longjmp(3) leads. The stack pointer is in the jmp_buf, which the C library protects: glibc
 * on x86-64 rotates it by 17 bits and mixes it with a random number of the thread
 * (sysdeps/unix/sysv/linux/x86_64/pointer_guard.h; jmpbuf-offsets.h); musl stores it unchanged. The
 * result is accepted if it is a short way above in the same mapping or, when the signal stack is
 * left, in the thread's own stack, where no wrong value falls. On arm64 only glibc's own code can
 * find its random number.
 */
#ifndef BPF_PROBE_UNWINDING_BPF_H
#define BPF_PROBE_UNWINDING_BPF_H

#include "bpf/probe_ends.bpf.h"

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
