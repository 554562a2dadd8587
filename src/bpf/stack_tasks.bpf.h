/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What the stack program reads from kernel structures: the few fields that it needs, found by name
 * (CO-RE) in the running kernel's layout. Also the registers of both machines.
 */
#ifndef BPF_STACK_TASKS_BPF_H
#define BPF_STACK_TASKS_BPF_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/stack_wire.h"
#include "bpf/thread_pointer.bpf.h"

static __always_inline __u64 thread_pointer(void);

#define UNWIND_READ_THREAD(memory, offset, to, size) \
	((void)(memory), bpf_probe_read_user(to, size, (const void *)(thread_pointer() + (offset))))

#include "bpf/unwind_step.h"

#define BY_NAME __attribute__((preserve_access_index))

/* include/linux/sched.h: threads without a user part. */
enum {
	TASK_KTHREAD = 0x00200000,
	TASK_USER_WORKER = 0x00004000,
	TASK_IO_WORKER = 0x00000010,
};

/* Prevents joining two branches that end alike: the joined code would have a pointer from either
 * branch, and the verifier rejects such a pointer into a context. */
#define KEEP_APART(name, result) asm volatile("# " name : "+r"(result)::"memory")

struct mm_struct {
	unsigned long start_stack;
} BY_NAME;

struct thread_info {
	__u64 flags;
	union {
		__u64 preempt_count; /* arm64: the count is its lower half */
	};
} BY_NAME;

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	struct mm_struct *mm;
	int pid, tgid;
	__u64 self_exec_id;
	/* Also for the off-CPU programs. */
	unsigned int __state;
	unsigned int in_iowait : 1;
	struct thread_struct thread;
} BY_NAME;

/* Of the running thread. */
static __always_inline __u64 thread_pointer(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return THREAD_POINTER(task);
}

struct perf_event {
	struct perf_event *parent;
	__u64 id;
} BY_NAME;

/* The real context of a perf_event program (include/linux/perf_event.h). */
struct bpf_perf_event_data_kern {
	struct perf_event *event;
} BY_NAME;

#if defined(__TARGET_ARCH_x86)

enum { STACK_ARM64 = 0, USER_CS_32 = 0x23 };

/* DWARF number, name in user space's struct pt_regs, name in the kernel's. */
#define REGISTERS(X)    \
	X(0, rax, ax)   \
	X(1, rdx, dx)   \
	X(2, rcx, cx)   \
	X(3, rbx, bx)   \
	X(4, rsi, si)   \
	X(5, rdi, di)   \
	X(6, rbp, bp)   \
	X(7, rsp, sp)   \
	X(8, r8, r8)    \
	X(9, r9, r9)    \
	X(10, r10, r10) \
	X(11, r11, r11) \
	X(12, r12, r12) \
	X(13, r13, r13) \
	X(14, r14, r14) \
	X(15, r15, r15)

struct pt_regs___kernel {
#define ROW(number, user, kernel) unsigned long kernel;
	REGISTERS(ROW)
#undef ROW
	unsigned long ip, cs;
} BY_NAME;

enum { REGISTERS_KNOWN = 0xffff };

static __always_inline int is_user_mode(const struct bpf_perf_event_data *ctx)
{
	return (ctx->regs.cs & 3) == 3;
}

/* The sample's own registers. Returns whether they belong to 32-bit code. */
static __always_inline int copy_sample_registers(const struct bpf_perf_event_data *ctx,
						 struct unwind_registers *to)
{
	__u64 segment = ctx->regs.cs;

#define ROW(number, user, kernel) to->values[number] = ctx->regs.user;
	REGISTERS(ROW)
#undef ROW
	to->pc = ctx->regs.rip;
	to->known = REGISTERS_KNOWN;
	KEEP_APART("sample", segment);
	return (segment & 0xffff) == USER_CS_32;
}

/* The registers with which the task entered the kernel. */
static __always_inline int copy_task_registers(struct task_struct *task,
					       struct unwind_registers *to)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

#define ROW(number, user, kernel) to->values[number] = regs->kernel;
	REGISTERS(ROW)
#undef ROW
	to->pc = regs->ip;
	to->known = REGISTERS_KNOWN;
	return (regs->cs & 0xffff) == USER_CS_32;
}

/* Linux 6.2 moved the count into a structure, 6.15 moved it back. */
struct pcpu_hot {
	int preempt_count;
} BY_NAME;
extern const struct pcpu_hot pcpu_hot __ksym __weak;
extern const int __preempt_count __ksym __weak;

static __always_inline int preempt_count(struct task_struct *task, __u32 *ret_count)
{
	(void)task;
	if (&pcpu_hot) {
		*ret_count = (__u32)((struct pcpu_hot *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count;
		return 1;
	}
	if (&__preempt_count) {
		*ret_count = *(__u32 *)bpf_this_cpu_ptr(&__preempt_count);
		return 1;
	}
	return 0;
}

#elif defined(__TARGET_ARCH_arm64)

enum { STACK_ARM64 = 1, PSTATE_32 = 0x10, PSTATE_EL = 0xc, ARM64_REGISTERS = 31 };

struct pt_regs___kernel {
	__u64 regs[ARM64_REGISTERS];
	__u64 sp, pc, pstate;
} BY_NAME;

#define REGISTERS_KNOWN 0xffffffffULL

static __always_inline int is_user_mode(const struct bpf_perf_event_data *ctx)
{
	return (ctx->regs.pstate & PSTATE_EL) == 0;
}

#define COPY_REGISTERS(from)                                                                \
	do {                                                                                \
		_Pragma("unroll") for (int i = 0; i < ARM64_REGISTERS; i++) to->values[i] = \
			(from).regs[i];                                                     \
		to->values[UNWIND_ARM64_SP] = (from).sp;                                    \
		to->pc = (from).pc;                                                         \
		to->known = REGISTERS_KNOWN;                                                \
	} while (0)

static __always_inline int copy_sample_registers(const struct bpf_perf_event_data *ctx,
						 struct unwind_registers *to)
{
	__u64 state = ctx->regs.pstate;

	COPY_REGISTERS(ctx->regs);
	KEEP_APART("sample", state);
	return !!(state & PSTATE_32);
}

static __always_inline int copy_task_registers(struct task_struct *task,
					       struct unwind_registers *to)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	COPY_REGISTERS(*regs);
	return !!(regs->pstate & PSTATE_32);
}

static __always_inline int preempt_count(struct task_struct *task, __u32 *ret_count)
{
	*ret_count = (__u32)task->thread_info.preempt_count;
	return 1;
}

#endif

/* include/linux/preempt.h. The sample's own interrupt, timer or NMI, is included in the count. */
enum {
	PREEMPT_SOFTIRQ_SERVED = 0x100,
	PREEMPT_HARDIRQ = 0x10000,
	PREEMPT_HARDIRQ_MASK = 0xf0000,
	PREEMPT_NMI_MASK = 0xf00000,
};

static __always_inline __u8 sample_context(struct task_struct *task)
{
	__u32 count = 0;

	if (!preempt_count(task, &count))
		return STACK_CONTEXT_UNKNOWN;
	if (!(count & PREEMPT_NMI_MASK) && count & PREEMPT_HARDIRQ_MASK)
		count -= PREEMPT_HARDIRQ;
	if (count & PREEMPT_HARDIRQ_MASK)
		return STACK_CONTEXT_HARDIRQ;
	return count & PREEMPT_SOFTIRQ_SERVED ? STACK_CONTEXT_SOFTIRQ : STACK_CONTEXT_TASK;
}

#endif
