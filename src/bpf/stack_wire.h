/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What the stack program of the kernel side and user space tell each other: the tables user space
 * writes, and the records the program puts into the per-CPU perf ring (PERF_SAMPLE_RAW of a
 * PERF_COUNT_SW_BPF_OUTPUT event).
 */
#ifndef BPF_STACK_WIRE_H
#define BPF_STACK_WIRE_H

#include <linux/types.h>

/* In an address of a user stack: not a return address, a signal interrupted it there. No user
 * address has this bit. */
#define UNWIND_EXACT (1ULL << 63)

enum {
	STACK_MAX_KERNEL = 127, /* kernel.perf_event_max_stack as it comes */
	STACK_MAX_USER = 1024,	/* --max-depth at most */
	STACK_DUMP_MAX = 32768, /* bytes of stack that are copied at most */
	UNWIND_REGISTERS = 33,	/* DWARF numbers 0..32 */
};

/* A user thread's registers by DWARF number (x86-64 psABI figure 3.36: 6 rbp, 7 rsp, 16 return
 * address; AArch64 DWARF: 29 fp, 30 lr, 31 sp), and the program counter. */
struct unwind_registers {
	__u64 pc;
	__u64 values[UNWIND_REGISTERS];
	__u64 known; /* bit n: values[n] is valid */
};

#endif
