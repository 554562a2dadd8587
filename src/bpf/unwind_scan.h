/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Where the innermost frame is in x86-64 code without rows: from the interrupted instruction on, the
 * code is followed to a return, counting what it takes off the stack, or to the prologue of a
 * function that was just entered. If it uses the frame pointer or calls first, that was set up
 * already.
 */
#ifndef BPF_UNWIND_SCAN_H
#define BPF_UNWIND_SCAN_H

#include "bpf/unwind_frame.h"
#include "bpf/x86_code.h"

enum { UNWIND_SCAN_STEPS = 64 }; /* instructions that are followed at most */

enum unwind_scan_result {
	UNWIND_SCAN_MORE,    /* not yet known */
	UNWIND_SCAN_UNKNOWN, /* the code does not say */
	UNWIND_SCAN_FRAME,   /* the frame pointer leads to the caller */
	UNWIND_SCAN_FOUND,   /* sp is where the return address is, fp is the caller's */
};

struct unwind_scan {
	__u64 pc; /* of the next instruction */
	__u64 sp, fp;
	__u64 start; /* the stack pointer at the interrupted instruction */
	__u8 fp_known;
	__u8 left;   /* rbp was popped: the frame is given up */
	__u8 pushed; /* the instruction before pushed rbp */
	__u8 result; /* enum unwind_scan_result */
	__u32 zero;
	struct x86_code code;
};

UNWIND_INLINE void unwind_scan_begin(struct unwind_scan *scan, const struct unwind_frame *frame,
				     const void *memory)
{
	enum { PUSH_RBP = 0x55 };
	__u8 before = 0;

	scan->pc = frame->pc;
	scan->sp = scan->start = frame->sp;
	scan->fp = frame->fp;
	scan->fp_known = frame->fp_known;
	scan->left = 0;
	scan->result = UNWIND_SCAN_MORE;
	scan->zero = 0;
	scan->pushed = UNWIND_READ_CODE(memory, frame->pc - 1, &before, sizeof(before)) == 0 &&
		       before == PUSH_RBP;
}

/* True if a call instruction ends at this address. @unread: what to return if it cannot be read. */
UNWIND_INLINE int unwind_follows_call(__u64 address, const void *memory, int unread)
{
	enum { CALL = 0xe8, GROUP_5 = 0xff, FIELD_REG = 0x38, CALL_INDIRECT = 0x10, BYTES = 8 };
	__u8 code[BYTES];

	if (UNWIND_READ_CODE(memory, address - BYTES, code, sizeof(code)) < 0)
		return unread;
	if (code[BYTES - 5] == CALL)
		return 1;
	for (int i = 1; i < BYTES - 1; i++) {
		if (code[i] == GROUP_5 && (code[i + 1] & FIELD_REG) == CALL_INDIRECT)
			return 1;
	}
	return 0;
}

UNWIND_INLINE void unwind_scan_pop_fp(struct unwind_scan *scan, const void *memory)
{
	scan->fp_known = scan->sp >= scan->start &&
			 UNWIND_READ(memory, scan->sp, &scan->fp, sizeof(scan->fp)) == 0;
	scan->sp += 8;
	scan->left = 1;
}

/* What an instruction changes. */
UNWIND_INLINE void unwind_scan_apply(struct unwind_scan *scan, const void *memory)
{
	switch (scan->code.kind) {
	case X86_PUSH_FP:
	case X86_PUSH:
		scan->sp -= 8;
		break;
	case X86_POP:
		scan->sp += 8;
		break;
	case X86_POP_FP:
		unwind_scan_pop_fp(scan, memory);
		break;
	case X86_ADD_SP:
		scan->sp += (__u64)(__s64)scan->code.value;
		break;
	case X86_SET_SP:
		scan->sp = scan->fp + (__u64)(__s64)scan->code.value;
		if (!scan->fp_known)
			scan->result = UNWIND_SCAN_UNKNOWN;
		break;
	case X86_LEAVE:
		scan->sp = scan->fp;
		if (!scan->fp_known)
			scan->result = UNWIND_SCAN_UNKNOWN;
		unwind_scan_pop_fp(scan, memory);
		break;
	default:
		break;
	}
}

/* True for room on the stack whose size is in a register, which is given up by the frame pointer. Other
 * instructions align the stack of functions that keep it in rbx or r10, or go to another stack. */
UNWIND_INLINE int unwind_scan_makes_room(const struct x86_code *code)
{
	enum { SUB_TO_RM = 0x29, SUB_TO_REG = 0x2b };

	return code->map == 0 && (code->op == SUB_TO_RM || code->op == SUB_TO_REG) &&
	       x86_mod(code) == 3;
}

/* What an instruction shows. */
UNWIND_INLINE enum unwind_scan_result unwind_scan_show(struct unwind_scan *scan)
{
	switch (scan->code.kind) {
	case X86_RETURN:
		return UNWIND_SCAN_FOUND;
	case X86_SET_FP:
		scan->sp += 8; /* rbp was pushed; its value is the caller's */
		return scan->pushed && scan->code.value == 0 ? UNWIND_SCAN_FOUND
							     : UNWIND_SCAN_UNKNOWN;
	case X86_JUMP_SLOT:
	case X86_JUMP_REGISTER:
		return scan->left ? UNWIND_SCAN_FOUND : UNWIND_SCAN_UNKNOWN;
	case X86_CALL:
	case X86_CALL_INDIRECT:
		return scan->left ? UNWIND_SCAN_UNKNOWN : UNWIND_SCAN_FRAME;
	case X86_LOSE_SP:
		return !scan->left && unwind_scan_makes_room(&scan->code) ? UNWIND_SCAN_FRAME
									  : UNWIND_SCAN_UNKNOWN;
	case X86_INVALID:
	case X86_LOSE_FP:
	case X86_LOSE_BOTH:
	case X86_STOP:
	case X86_STORE_FP:
	case X86_LOAD_FP:
		return UNWIND_SCAN_UNKNOWN;
	default:
		return scan->code.uses_frame && !scan->left ? UNWIND_SCAN_FRAME : UNWIND_SCAN_MORE;
	}
}

/* Follows one instruction. Returns scan->result. */
UNWIND_INLINE enum unwind_scan_result unwind_scan_step(struct unwind_scan *scan, const void *memory)
{
	if (UNWIND_READ_CODE(memory, scan->pc, scan->code.bytes, sizeof(scan->code.bytes)) < 0) {
		scan->result = UNWIND_SCAN_UNKNOWN;
		return UNWIND_SCAN_UNKNOWN;
	}
	x86_decode(&scan->code);
	scan->result = (__u8)unwind_scan_show(scan);
	X86_STORE_ALL();
	if (scan->result != UNWIND_SCAN_MORE)
		return (enum unwind_scan_result)scan->result;
	unwind_scan_apply(scan, memory);
	X86_STORE_ALL();
	scan->pushed = scan->code.kind == X86_PUSH_FP;
	scan->pc += scan->code.length;
	if (scan->code.kind == X86_JUMP)
		scan->pc += (__u64)(__s64)scan->code.value;
	return (enum unwind_scan_result)scan->result;
}

/* The return address that was found. UNWIND_END_NO_ROWS: it is none. */
UNWIND_INLINE enum unwind_end unwind_by_scan(struct unwind_frame *frame,
					     const struct unwind_scan *scan, const void *memory)
{
	__u64 ra;

	if (scan->sp < frame->sp || UNWIND_READ(memory, scan->sp, &ra, sizeof(ra)) < 0 ||
	    !unwind_follows_call(ra, memory, 0))
		return UNWIND_END_NO_ROWS;
	frame->pc = ra;
	frame->sp = scan->sp + sizeof(ra);
	frame->fp = scan->fp;
	frame->fp_known = scan->fp_known;
	frame->bx_known = 0;
	frame->exact = 0;
	return UNWIND_MORE;
}

#endif
