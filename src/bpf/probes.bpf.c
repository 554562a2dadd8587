/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Programs at the entries and exits of functions: bpf/probe_calls.bpf.h has what they do. Of the
 * kprobe and the fentry kind one of each is loaded; user space loads copies of it, as each way to
 * attach wants a program of its own type, and fentry one for each function.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/probe_calls.bpf.h"

/* ---- kprobe, kprobe.multi, uprobe, uprobe.multi: registers ---- */

#if defined(__TARGET_ARCH_x86)

enum { RETURN_POPS = 8 };

static __always_inline void read_entry(struct pt_regs *regs, struct probe_call *call, bool user)
{
	call->arguments[0] = regs->rdi;
	call->arguments[1] = regs->rsi;
	call->arguments[2] = regs->rdx;
	call->arguments[3] = regs->rcx;
	call->arguments[4] = regs->r8;
	call->arguments[5] = regs->r9;
	call->sp = regs->rsp;
	if (user)
		bpf_probe_read_user(&call->from, sizeof(call->from), (void *)regs->rsp);
	else
		bpf_probe_read_kernel(&call->from, sizeof(call->from), (void *)regs->rsp);
}

static __always_inline void read_exit(struct pt_regs *regs, struct probe_call *call)
{
	call->sp = regs->rsp;
	call->value = regs->rax;
}

#else

enum { RETURN_POPS = 0 };

static __always_inline void read_entry(struct pt_regs *context, struct probe_call *call, bool user)
{
	const struct user_pt_regs *regs = (const struct user_pt_regs *)context;

#pragma unroll
	for (__u32 i = 0; i < PROBE_ARGUMENTS; i++)
		call->arguments[i] = regs->regs[i];
	call->sp = regs->sp;
	call->from = regs->regs[30];
}

static __always_inline void read_exit(struct pt_regs *context, struct probe_call *call)
{
	const struct user_pt_regs *regs = (const struct user_pt_regs *)context;

	call->sp = regs->sp;
	call->value = regs->regs[0];
}

#endif

static __always_inline int entry(struct pt_regs *regs, bool user)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(regs) };

	read_entry(regs, &call, user);
	return enter(&call, user);
}

SEC("kprobe")
int probe_entry(struct pt_regs *regs)
{
	return entry(regs, false);
}

SEC("kprobe")
int probe_entry_user(struct pt_regs *regs)
{
	return entry(regs, true);
}

SEC("kprobe")
int probe_only(struct pt_regs *regs)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(regs) };

	if (todo & PROBE_ON_CONDITION)
		read_entry(regs, &call, call.cookie >> PROBE_COOKIE_USER_SHIFT & 1);
	return enter_only(&call);
}

SEC("kprobe")
int probe_exit(struct pt_regs *regs)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(regs) };

	read_exit(regs, &call);
	if (!(call.cookie >> PROBE_COOKIE_AT_RETURN_SHIFT & 1) && call.sp)
		call.sp -= RETURN_POPS;
	return leave(&call);
}

/* ---- fentry, fexit: arguments and the value behind a pointer ---- */

/* The trampoline's frame is the same at the entry and the exit of a call. */
static __always_inline void read_place(void *context, struct probe_call *call)
{
	bpf_probe_read_kernel(&call->sp, sizeof(call->sp), &context);
}

static __always_inline void read_arguments(void *context, struct probe_call *call)
{
	__u64 value;

	if (!(todo & PROBE_ON_CONDITION))
		return;
#pragma unroll
	for (__u32 i = 0; i < PROBE_ARGUMENTS; i++) {
		if (bpf_get_func_arg(context, i, &value) == 0)
			call->arguments[i] = value;
	}
}

SEC("fentry")
int probe_fentry(void *context)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(context) };

	read_place(context, &call);
	read_arguments(context, &call);
	return enter(&call, false);
}

SEC("fentry")
int probe_fentry_only(void *context)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(context) };

	read_arguments(context, &call);
	return enter_only(&call);
}

SEC("fexit")
int probe_fexit(void *context)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(context) };

	read_place(context, &call);
	bpf_get_func_ret(context, &call.value);
	return leave(&call);
}

/* ---- what becomes of threads ---- */

static __always_inline void pause(struct task_struct *task, __u64 now_ns)
{
	struct probe_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	__u64 counters[PROBE_SLOT_COUNTERS] = {};
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 depth;

	if (!thread || !thread->depth)
		return;
	depth = thread->depth;
	read_counters(counters, task);
	for (__u32 i = 0; i < PROBE_MAX_DEPTH && i < depth; i++) {
		struct probe_frame *frame = &thread->frames[i];
		struct probe_slot *slot = slot_of(frame->row, cpu);

		if (slot && is_timed(frame))
			charge(thread, frame, slot, counters, now_ns);
	}
}

static __always_inline void resume(struct task_struct *task, __u64 now_ns)
{
	struct probe_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 depth;

	if (!thread || !thread->depth)
		return;
	depth = thread->depth;
	thread->since_ns = now_ns;
	read_counters(thread->since_counters, task);
	for (__u32 i = 0; i < PROBE_MAX_DEPTH && i < depth; i++) {
		struct probe_frame *frame = &thread->frames[i];
		struct probe_slot *slot = slot_of(frame->row, cpu);

		if (slot && is_timed(frame))
			ADD(slot->running, probe_open_word(now_ns, opened_ns));
	}
}

SEC("tp_btf/sched_switch")
int probe_switch(__u64 *arguments)
{
	__u64 now_ns;

	if (phase == PROBE_CLOSED)
		return 0;
	now_ns = bpf_ktime_get_ns();
	pause((struct task_struct *)arguments[1], now_ns);
	resume((struct task_struct *)arguments[2], now_ns);
	return 0;
}

static __always_inline void end_all(struct task_struct *task, bool running)
{
	struct probe_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);

	if (thread && phase != PROBE_CLOSED)
		unwind(thread, 0, DIED, running, task);
}

/* The functions that the thread still leaves on its way out enter and return as ever. */
SEC("tp_btf/sched_process_exit")
int probe_thread_exit(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[0];
	__u32 pid = (__u32)task->tgid;

	end_all(task, true);
	if (todo & PROBE_FOLLOW && task->signal->live.counter == 0)
		bpf_map_delete_elem(&wanted_pids, &pid);
	return 0;
}

/* What it was in at its very last. */
SEC("tp_btf/sched_process_free")
int probe_thread_free(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[0];
	end_all(task, false);
	return 0;
}

/* The functions of the program before are gone. */
SEC("tp_btf/sched_process_exec")
int probe_exec(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[0];
	struct probe_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	__u64 now_ns = bpf_ktime_get_ns();

	if (!thread || phase == PROBE_CLOSED)
		return 0;
	for (__u32 i = 0; i < PROBE_MAX_DEPTH && i < thread->depth; i++) {
		struct probe_frame *frame = &thread->frames[i];

		if (!(frame->flags & FRAME_USER))
			continue;
		abandon(thread, frame, LEFT, true, task, now_ns);
		frame->flags = FRAME_USER | FRAME_IGNORED;
	}
	return 0;
}

SEC("tp_btf/sched_process_fork")
int probe_fork(__u64 *arguments)
{
	const struct task_struct *parent = (const struct task_struct *)arguments[0];
	const struct task_struct *child = (const struct task_struct *)arguments[1];
	__u32 pid = (__u32)parent->tgid, child_pid = (__u32)child->tgid, one = 1;

	if (pid != child_pid && bpf_map_lookup_elem(&wanted_pids, &pid))
		bpf_map_update_elem(&wanted_pids, &child_pid, &one, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
