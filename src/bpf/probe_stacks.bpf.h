/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Threads with several stacks. A thread's own stack is the mapping that the kernel (first thread)
 * or the C library (the thread pointer is at its top) gave it; there may be another one for signals
 * (sigaltstack). Any other stack pointer is in a fiber's stack. One mapping may hold many of these,
 * so for a deeper call it is unknown whether it was left or waits in another fiber. Such a call is
 * adrift: it has no time, but its return is still recognised by its function and stack pointer.
 *
 * Fibers may also have their stacks inside the thread's own. This shows when a call seems
 * abandoned, because the thread made calls above it, and then returns after all. From then on the
 * thread's own stack is treated as a block of fiber stacks.
 *
 * Calls on several stacks do not end in reverse order of entry. A frame that has ended between open
 * ones is dead until it is the topmost, or until a fiber's call takes its place.
 */
#ifndef BPF_PROBE_STACKS_BPF_H
#define BPF_PROBE_STACKS_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "bpf/probe_condition.bpf.h"
#include "bpf/probe_sites.bpf.h"
#include "bpf/probe_threads.bpf.h"
#include "bpf/probe_wire.h"

enum { FRAME_STACK = FRAME_ALT | FRAME_FIBER };

struct own_stack {
	__u64 anchor; /* an address in it */
	__u64 start, end;
};

static long take_own_stack(struct task_struct *task, struct vm_area_struct *vma,
			   struct own_stack *stack)
{
	(void)task;
	if (stack->anchor < vma->vm_start || stack->anchor >= vma->vm_end)
		return 0;
	stack->start = vma->vm_start;
	stack->end = vma->vm_end;
	return 0;
}

/* The stack that the thread is on: FRAME_ALT, FRAME_FIBER, or 0 (its own, or unknown). */
static __always_inline __u32 stack_at(struct probe_thread *thread, __u64 sp)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool first = task->pid == task->tgid;
	struct own_stack stack = {};

	if (sp >= thread->stack_start && sp < thread->stack_end)
		return thread->fibers_in_own ? FRAME_FIBER : 0;
	if (sp - task->sas_ss_sp < task->sas_ss_size)
		return FRAME_ALT;
	stack.anchor = first ? task->mm->start_stack : THREAD_POINTER(task) - 1;
	if (bpf_find_vma(task, sp, take_own_stack, &stack, 0) < 0)
		return 0;
	if (!stack.end || (!first && sp > stack.anchor))
		return FRAME_FIBER;
	thread->stack_start = stack.start;
	thread->stack_end = first ? stack.end : stack.anchor;
	return 0;
}

static __always_inline void bury_here(struct probe_frame *frame)
{
	*(volatile __u32 *)&frame->flags =
		(frame->flags & ~(FRAME_UNDECIDED | FRAME_ADRIFT)) | FRAME_IGNORED | FRAME_DEAD;
}

static __noinline int set_adrift(struct probe_frame *frame)
{
	struct probe_slot *slot;

	if (!frame)
		return 0;
	slot = slot_of(frame->row, bpf_get_smp_processor_id());
	if (frame->flags & (FRAME_ADRIFT | FRAME_IGNORED) || !slot)
		return 0;
	frame->flags |= FRAME_ADRIFT;
	if (frame->flags & FRAME_UNDECIDED)
		return 0;
	ADD(slot->switched, 1);
	give_up_time(frame, slot);
	return 0;
}

/* Bounded like frame_at. */
static __always_inline struct probe_given_up *given_up_at(struct probe_thread *thread, __u32 index)
{
	MASK(index, GIVEN_UP_KEPT - 1);
	return &thread->given_up[index];
}

/* Like give_up, but remembers the call in case it returns after all. */
static __noinline int give_up_here(struct probe_thread *thread, struct probe_frame *frame)
{
	__u32 flags = frame->flags;

	if (!(flags & (FRAME_IGNORED | FRAME_STACK | FRAME_GO)) && was_abandoned(frame)) {
		struct probe_given_up *kept = given_up_at(thread, thread->given_up_count++);

		kept->sp = frame->sp;
		kept->target = frame->target;
		kept->row = frame->row;
		kept->cpu = bpf_get_smp_processor_id();
		kept->flags = flags;
	}
	give_up(frame);
	return 0;
}

static long put_in_block(__u32 index, struct probe_thread **thread)
{
	struct probe_frame *frame = frame_at(*thread, index);

	if ((frame->flags & (FRAME_USER | FRAME_ALT)) == FRAME_USER)
		frame->flags |= FRAME_FIBER;
	return 0;
}

/* Calls on the thread's own stack may be on several fiber stacks. */
static __always_inline void find_fibers_in_own_stack(struct probe_thread *thread)
{
	thread->fibers_in_own = 1;
	thread->mixed = 1;
	bpf_loop(thread->depth, put_in_block, &thread, 0);
}

static long pop_dead(__u32 number, struct probe_thread **thread)
{
	__u32 index = (*thread)->depth - 1;

	(void)number;
	if (index >= PROBE_MAX_DEPTH || !(frame_at(*thread, index)->flags & FRAME_DEAD))
		return 1;
	(*thread)->depth = index;
	return 0;
}

static __always_inline void tidy(struct probe_thread *thread)
{
	bpf_loop(PROBE_MAX_DEPTH, pop_dead, &thread, 0);
	if (!thread->depth)
		thread->mixed = 0;
}

/*
 * ---- goroutines ----
 *
 * The open calls of goroutines. A goroutine may move to another thread during a call, and its stack
 * is copied when it grows. So its calls are stored under the address of its g, and a frame's
 * position is its distance from the top of the stack. As elsewhere, lower means deeper: "stack
 * pointers" here count from the top, which is 2^64.
 *
 * A g is reused by later goroutines, which have other numbers. How long the goroutine itself ran
 * during a call is unknown: that would need a probe in the Go scheduler.
 */

enum {
	FAR_IN_GO_STACK = 1 << 30, /* no Go stack is larger */
	/* The kernel keeps a few free elements for each CPU. When they are used up, an interrupt
	 * brings more at once. */
	ATTEMPTS = 8,
};

struct goroutine_key {
	__u64 g;
	__u32 pid, zero;
};

/* The goroutines that are inside a watched call. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct goroutine_key);
	__type(value, struct probe_thread);
} goroutines SEC(".maps");

const volatile struct probe_go_layout go_layouts[PROBE_WIRE_GO] = {};
const volatile __u32 has_goroutines = 0;

static struct probe_thread no_calls;

/* 0: the call belongs to a thread. */
static __always_inline __u32 go_of(const struct probe_call *call)
{
	return call->cookie >> PROBE_COOKIE_GO_SHIFT & PROBE_COOKIE_GO_MASK;
}

/* The largest distance of two stack pointers in the same stack. */
static __always_inline __u64 reach_of(const struct probe_call *call)
{
	return go_of(call) ? FAR_IN_GO_STACK : FAR_IN_STACK;
}

/* 0 if unknown. */
static __always_inline __u64 find_g(const struct probe_call *call,
				    const volatile struct probe_go_layout *layout)
{
	__u64 g = call->g;

#if defined(__TARGET_ARCH_x86)
	if (!layout->g_in_register &&
	    bpf_probe_read_user(
		    &g, sizeof(g),
		    (void *)(bpf_get_current_task_btf()->thread.fsbase + (__u64)layout->g_tls)) < 0)
		return 0;
#else
	(void)layout;
#endif
	return g;
}

/* The goroutine ended during its calls, unseen, and another has its g. */
static long bury_frame(__u32 index, struct probe_thread **thread)
{
	struct probe_frame *frame = frame_at(*thread, index);
	struct probe_slot *slot = slot_of(frame->row, bpf_get_smp_processor_id());

	if (!slot || frame->flags & (FRAME_IGNORED | FRAME_UNDECIDED))
		return 0;
	ADD(slot->died, 1);
	give_up_time(frame, slot);
	return 0;
}

static __always_inline void bury(struct probe_thread *thread, __u64 goid)
{
	bpf_loop(thread->depth, bury_frame, &thread, 0);
	thread->depth = 0;
	thread->goid = goid;
}

/* Reads the goroutine number of a call. False if the call is not in a goroutine. */
static __always_inline bool read_goroutine(struct probe_call *call, __u64 *ret_goid)
{
	const volatile struct probe_go_layout *layout = &go_layouts[go_of(call)];
	__u64 high = 0;

	call->g = find_g(call, layout);
	if (!call->g ||
	    bpf_probe_read_user(&high, sizeof(high), (void *)(call->g + layout->stack_hi)) < 0 ||
	    bpf_probe_read_user(ret_goid, sizeof(*ret_goid), (void *)(call->g + layout->goid)) < 0)
		return false;
	call->sp -= high;
	return -call->sp <= FAR_IN_GO_STACK;
}

/* The calls of the goroutine that makes @call, whose stack pointer becomes a distance. NULL if
 * there are none, or with @create if there is no memory for them. */
static __always_inline struct probe_thread *find_goroutine(struct probe_call *call, bool create)
{
	struct goroutine_key key = { .pid = current_pid() };
	struct probe_thread *found;
	__u64 goid = 0;

	if (!read_goroutine(call, &goid))
		return NULL;
	key.g = call->g;
	found = bpf_map_lookup_elem(&goroutines, &key);
	for (__u32 i = 0; create && !found && i < ATTEMPTS; i++) {
		bpf_map_update_elem(&goroutines, &key, &no_calls, BPF_NOEXIST);
		found = bpf_map_lookup_elem(&goroutines, &key);
		if (found)
			found->goid = goid;
	}
	if (found && found->goid != goid)
		bury(found, goid);
	return found;
}

/* The goroutine has no open call any more. */
static __always_inline void forget_goroutine(const struct probe_call *call)
{
	struct goroutine_key key = { .g = call->g, .pid = current_pid() };

	bpf_map_delete_elem(&goroutines, &key);
}

#endif
