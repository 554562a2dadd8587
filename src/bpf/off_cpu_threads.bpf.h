/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The state that the off-CPU programs keep for each thread and each CPU.
 */
#ifndef BPF_OFF_CPU_THREADS_BPF_H
#define BPF_OFF_CPU_THREADS_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/chosen.bpf.h"
#include "bpf/off_cpu_wire.h"
#include "bpf/task_states.bpf.h"
#include "bpf/unwind_rows.h"
#include "bpf/window.bpf.h"

/*
 * User stacks are walked with the tables of the stack program: before loading, its maps replace
 * `segments`, `spaces` and this map, which stands for its .bss with the rules. The stack program
 * leaves replaced data unchanged until the drain after next, long after any walk that reads it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} stack_memory SEC(".maps");

const volatile __u64 rules_offset = 0; /* in that memory */

static __always_inline const struct unwind_rule *borrowed_rule(__u32 number)
{
	__u32 zero = 0;
	const char *memory = bpf_map_lookup_elem(&stack_memory, &zero);

	if (!memory)
		return NULL;
	return (const struct unwind_rule *)(memory + rules_offset +
					    (__u64)number * sizeof(struct unwind_rule));
}

#define STACK_RULE(number) borrowed_rule(number)
#include "bpf/stack_walk.bpf.h"

/* How a user stack is walked: with tables, in a loop or by repeated calls (stacks.bpf.c explains
 * why), or by frame pointers. */
enum how { BY_LOOP, BY_CALLS, BY_FRAME_POINTERS };

enum { DUMP_UNITS = 4 }; /* cost of a stack copy, in units of the budget */

#if defined(__TARGET_ARCH_x86)
#define PROGRAM_COUNTER ip
#else
#define PROGRAM_COUNTER pc
#endif

/* Storage is allocated at fork and before the window opens, never in the scheduler. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct off_cpu_thread);
} threads SEC(".maps");

/* The chosen processes. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OFF_CPU_MAX_CHOSEN);
	__type(key, __u32);
	__type(value, __u32);
} chosen SEC(".maps");

/* The BPF_OUTPUT event of each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} outputs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct off_cpu_cpu);
} cpus SEC(".maps");

volatile __u32 only_chosen; /* report nothing about other processes */
volatile __u32 any_chosen;  /* 0: all processes are chosen */
const volatile __u64 period_ns = OFF_CPU_PERIOD_NS;

/* A draw that no wait exceeds. */
#define NEVER (~0ULL)

static __u32 tid_of(const struct task_struct *task)
{
	return (__u32)task->pid;
}

static __u32 state_of(const struct task_struct *task)
{
	return task->__state & TASK_STATES;
}

static struct off_cpu_cpu *this_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&cpus, &zero);
}

/* What existed before is chosen by its id, later threads by those that start them. */
static __u32 group_of(const struct task_struct *task)
{
	return !any_chosen || chosen_has(&chosen, (__u32)task->tgid, tid_of(task)) ? OFF_CPU_CHOSEN
										   : OFF_CPU_OTHERS;
}

static bool is_wanted(const struct off_cpu_thread *thread)
{
	return thread->group == OFF_CPU_CHOSEN || !only_chosen;
}

static struct off_cpu_pace *pace_of(struct off_cpu_cpu *cpu, const struct off_cpu_thread *thread)
{
	return &cpu->paces[thread->group == OFF_CPU_CHOSEN];
}

static __u32 budget_of(const struct off_cpu_thread *thread)
{
	return thread->group == OFF_CPU_CHOSEN ? OFF_CPU_BUDGET : OFF_CPU_BUDGET_OTHERS;
}

static void spend(struct off_cpu_cpu *cpu, const struct off_cpu_thread *thread, __u64 now_ns,
		  __u32 units)
{
	off_cpu_pace_spend(pace_of(cpu, thread), now_ns, units, budget_of(thread));
}

/* The clock may step back a little when the kernel corrects its speed (kernel/time/timekeeping.c,
 * ktime_get_mono_fast_ns). If a thread's time did, its times would add up to more than the window. */
static __u64 not_back(const struct off_cpu_thread *thread, __u64 now_ns)
{
	return now_ns > thread->since_ns ? now_ns : thread->since_ns;
}

static struct off_cpu_thread *find_thread(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, NULL, 0);
}

/* Adds a thread that is in @state since @since_ns. Its current wait is kept whatever its length. */
static struct off_cpu_thread *add_thread(struct task_struct *task, enum off_cpu_state state,
					 enum off_cpu_group group, __u64 since_ns)
{
	struct off_cpu_thread *thread =
		bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!thread)
		return NULL;
	thread->since_ns = thread->left_ns = since_ns;
	thread->threshold_ns = 1;
	for (int i = 0; i < OFF_CPU_SITES; i++)
		thread->expected_ns[i] = OFF_CPU_FIRST_EXPECTED_NS;
	thread->group = group;
	thread->draw_ns = is_wanted(thread) ? 0 : NEVER;
	thread->pid = (__u32)task->tgid;
	thread->tid = tid_of(task);
	thread->state = state;
	return thread;
}

static void add_blocked(struct off_cpu_thread *thread, __u64 duration_ns)
{
	thread->blocked_ns += duration_ns;
	thread->times.blocked_ns += duration_ns;
	if (thread->flags & OFF_CPU_IO)
		thread->times.io_ns += duration_ns;
}

static void send_times(void *context, const struct off_cpu_thread *thread, enum off_cpu_why why,
		       struct off_cpu_cpu *cpu)
{
	struct off_cpu_times_record record = { .kind = OFF_CPU_TIMES,
					       .pid = thread->pid,
					       .tid = thread->tid,
					       .why = why,
					       .times = thread->times };

	if (!is_wanted(thread) || !opened_ns)
		return;
	if (bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, &record, sizeof(record)) <
	    0)
		cpu->counts.lost_times++;
}

#endif
