/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The open calls of goroutines. A goroutine may move to another thread during a call, and its stack
 * is copied when it grows. So its calls are stored under the address of its g, and a frame's
 * position is its distance from the top of the stack. As elsewhere, lower means deeper: "stack
 * pointers" here count from the top, which is 2^64.
 *
 * A g is reused by later goroutines, which have other numbers. How long the goroutine itself ran
 * during a call is unknown: that would need a probe in the Go scheduler.
 */
#ifndef BPF_PROBE_GOROUTINES_BPF_H
#define BPF_PROBE_GOROUTINES_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "bpf/probe_condition.bpf.h"
#include "bpf/probe_threads.bpf.h"
#include "bpf/probe_wire.h"

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
