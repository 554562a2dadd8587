/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Which calls count: processes, CPUs, names, and conditions on arguments and return values. */
#ifndef BPF_PROBE_CONDITION_BPF_H
#define BPF_PROBE_CONDITION_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "bpf/probe_wire.h"
#include "bpf/thread_pointer.bpf.h"

#define BY_NAME __attribute__((preserve_access_index))

struct signal_struct {
	struct {
		int counter;
	} live;
} BY_NAME;

struct sched_entity {
	__u64 nr_migrations;
} BY_NAME;

struct mm_struct {
	unsigned long start_stack;
} BY_NAME;

struct task_struct {
	int pid, tgid;
	unsigned int __state;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
	struct sched_entity se;
	struct signal_struct *signal;
	struct mm_struct *mm;
	unsigned long sas_ss_sp, sas_ss_size;
	struct thread_struct thread;
} BY_NAME;

/* A call at its entry, or at its return. */
struct probe_call {
	__u64 cookie;
	__u64 sp;   /* at the entry; for fentry, where the kernel saved the arguments */
	__u64 from; /* return address; 0: unknown */
	__u64 arguments[PROBE_ARGUMENTS];
	__u64 value;	/* returned: the register */
	__s64 returned; /* the same converted by its type, as far as known */
	__u32 returns;	/* enum probe_wire_return, once the value was read */
	__u32 flags;	/* FRAME_*, of an entering call */
	__u32 stack;	/* the stack it is on: FRAME_ALT, FRAME_FIBER or 0 */
	__u32 place;	/* of a fiber's call: the frame that it takes */
	__u64 g;	/* Go: the register that may have g, then g */
};

const volatile __u32 todo = 0; /* PROBE_DO_*, PROBE_ONLY_* ... */
const volatile __u64 wanted_cpus[PROBE_CPU_WORDS] = {};
const volatile __u64 wanted_comms[PROBE_WIRE_COMMS][PROBE_COMM_SIZE / 8] = {};
const volatile __u32 wanted_comm_count = 0;
const volatile struct probe_steps entry_steps = {};
const volatile struct probe_steps return_steps = {};
const volatile struct probe_steps error_steps = {};

volatile __u32 wanted_pid; /* one of wanted_pids, the most frequent; or PROBE_NO_PID */

/* Thread groups: PROBE_ANY_PROCESS, or for an ending one the address of its signal_struct, which
 * tells it from a later process with the same pid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4 * PROBE_WIRE_PIDS);
	__type(key, __u32);
	__type(value, __u64);
} wanted_pids SEC(".maps");

static __always_inline __u32 current_pid(void)
{
	return (__u32)(bpf_get_current_pid_tgid() >> 32);
}

static __always_inline bool is_wanted_process(void)
{
	__u32 pid = current_pid();
	const __u64 *found;

	if (!(todo & PROBE_ONLY_PIDS) || pid == wanted_pid)
		return true;
	found = bpf_map_lookup_elem(&wanted_pids, &pid);
	return found &&
	       (*found == PROBE_ANY_PROCESS || *found == (__u64)bpf_get_current_task_btf()->signal);
}

/* The process's last thread is ending: from now on its pid alone does not identify it. */
static __always_inline void end_process(const struct task_struct *task)
{
	__u32 pid = (__u32)task->tgid;
	__u64 process = (__u64)task->signal;

	if (pid == wanted_pid)
		wanted_pid = PROBE_NO_PID;
	if (bpf_map_lookup_elem(&wanted_pids, &pid))
		bpf_map_update_elem(&wanted_pids, &pid, &process, BPF_ANY);
}

/* The process's first thread, which is released last, is gone. */
static __always_inline void forget_process(const struct task_struct *task)
{
	__u32 pid = (__u32)task->tgid;
	const __u64 *found = bpf_map_lookup_elem(&wanted_pids, &pid);

	if (found && task->pid == task->tgid && *found == (__u64)task->signal)
		bpf_map_delete_elem(&wanted_pids, &pid);
}

static __always_inline bool is_wanted_comm(void)
{
	__u64 comm[PROBE_COMM_SIZE / 8] = {};

	bpf_get_current_comm(comm, sizeof(comm));
	for (__u32 i = 0; i < PROBE_WIRE_COMMS && i < wanted_comm_count; i++) {
		if (wanted_comms[i][0] == comm[0] && wanted_comms[i][1] == comm[1])
			return true;
	}
	return false;
}

/* Extends the lowest @bits bits to 64. */
static __always_inline __u64 widen(__u64 value, __u32 bits, bool sign)
{
	__u32 shift = (64 - bits) & 63;

	value <<= shift;
	return sign ? (__u64)((__s64)value >> shift) : value >> shift;
}

static __always_inline __u64 operand_of(const struct probe_call *call, __u32 operand)
{
	switch (operand) {
	case PROBE_OPERAND_ARGUMENT:
		return call->arguments[0];
	case PROBE_OPERAND_ARGUMENT + 1:
		return call->arguments[1];
	case PROBE_OPERAND_ARGUMENT + 2:
		return call->arguments[2];
	case PROBE_OPERAND_ARGUMENT + 3:
		return call->arguments[3];
	case PROBE_OPERAND_ARGUMENT + 4:
		return call->arguments[4];
	case PROBE_OPERAND_ARGUMENT + 5:
		return call->arguments[5];
	case PROBE_OPERAND_PID:
		return current_pid();
	case PROBE_OPERAND_TID:
		return (__u32)bpf_get_current_pid_tgid();
	case PROBE_OPERAND_CPU:
		return bpf_get_smp_processor_id();
	case PROBE_OPERAND_RETURNED:
		return (__u64)call->returned;
	default:
		return (__u32)bpf_get_current_uid_gid();
	}
}

static __always_inline __u32 has_comm(const volatile struct probe_step *step)
{
	__u64 comm[PROBE_COMM_SIZE / 8] = {};

	bpf_get_current_comm(comm, sizeof(comm));
	return comm[0] == step->constants[0] && comm[1] == step->constants[1];
}

static __always_inline __u32 test(const struct probe_call *call,
				  const volatile struct probe_step *step)
{
	__u64 value, constant = step->constants[0];

	if (step->kind == PROBE_STEP_COMM)
		return has_comm(step);
	value = widen(operand_of(call, step->operand), step->bits, step->sign);
	if (step->kind == PROBE_STEP_EQUAL)
		return value == constant;
	if (step->kind == PROBE_STEP_BITS)
		return (value & constant) != 0;
	return step->sign ? (__s64)value < (__s64)constant : value < constant;
}

/* The evaluation stack is the bits of a word; the lowest is the top. */
static __always_inline bool holds(const struct probe_call *call,
				  const volatile struct probe_steps *steps)
{
	__u64 stack = 0;

	for (__u32 i = 0; i < PROBE_CONDITION_STEPS && i < steps->count; i++) {
		__u64 top = stack & 1;

		switch (steps->list[i].kind) {
		case PROBE_STEP_NOT:
			stack ^= 1;
			break;
		case PROBE_STEP_AND:
			stack = stack >> 1 & (top ? ~0ULL : ~1ULL);
			break;
		case PROBE_STEP_OR:
			stack = stack >> 1 | top;
			break;
		default:
			stack = stack << 1 | test(call, &steps->list[i]);
		}
	}
	return stack & 1;
}

/* True if the call, which is in a wanted process, counts. */
static __always_inline bool is_wanted(const struct probe_call *call)
{
	if (todo & PROBE_ONLY_CPUS) {
		__u32 cpu = bpf_get_smp_processor_id();

		if (!(wanted_cpus[cpu / 64 % PROBE_CPU_WORDS] >> (cpu % 64) & 1))
			return false;
	}
	if (todo & PROBE_ONLY_COMMS && !is_wanted_comm())
		return false;
	return !(todo & PROBE_ON_CONDITION) || holds(call, &entry_steps);
}

#endif
