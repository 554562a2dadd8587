/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The frame of a walk, and how memory is read: as the includer of unwind_step.h says. */
#ifndef BPF_UNWIND_FRAME_H
#define BPF_UNWIND_FRAME_H

#include "bpf/stack_wire.h"

#define UNWIND_INLINE static inline __attribute__((always_inline))

#ifndef UNWIND_READ
#define UNWIND_READ(memory, address, to, size) \
	((void)(memory), (void)(address), (void)(to), (void)(size), -1)
#endif

#ifndef UNWIND_READ_CODE
#define UNWIND_READ_CODE UNWIND_READ
#endif

#ifndef UNWIND_READ_THREAD
#define UNWIND_READ_THREAD(memory, offset, to, size) \
	((void)(memory), (void)(offset), (void)(to), (void)(size), -1)
#endif

/* DWARF numbers of the registers a walk carries from frame to frame. */
enum {
	UNWIND_X86_BX = 3,
	UNWIND_X86_FP = 6,
	UNWIND_X86_SP = 7,
	UNWIND_ARM64_FP = 29,
	UNWIND_ARM64_LR = 30,
	UNWIND_ARM64_SP = 31,
};

/* The end of arm64 user addresses. Bits above it in a return address are its signature (pointer
 * authentication). */
#define UNWIND_ARM64_ADDRESS ((1ULL << 48) - 1)

struct unwind_frame {
	__u64 pc, sp, fp, lr;
	__u8 exact;    /* pc is an instruction's own address, not a return address */
	__u8 fp_known; /* fp is this frame's value */
	__u8 lr_known; /* arm64: lr is this frame's: innermost, or interrupted by a signal */
	__u8 guessed;  /* found by frame pointers, without a row */
	__u8 bx_known; /* x86-64: bx or bx_at is this frame's */
	__u8 unproven; /* frames may be missing: nothing shows that code kept frame pointers */
	__u8 sched;    /* a frame of Go's scheduler was passed: UNWIND_RULE_SCHEDULER */
	__u8 unframed; /* a function at its start: the return address is at sp */
	__u64 bx;      /* rbx, until a frame saves it */
	__u64 bx_at;   /* where it was saved; 0: nowhere. Read only if a CFA needs it */
};

#endif
