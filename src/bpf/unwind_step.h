/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * One step of a walk, from a frame to its caller, for the kernel's program and for user space. The
 * includer defines how to read memory, by a macro or a function of this name:
 *
 *   #define UNWIND_READ(memory, address, to, size)
 *
 * It returns 0, or negative if not all bytes can be read; @memory is what the walker passed. If it
 * is not defined, every read fails.
 *
 * Where there is no row, frame pointers are tried, because JIT code has them, and so have generated
 * parts of large programs. That is a guess (unwind_frame.guessed), which the walker accepts only if
 * it leads to executable memory. The instructions show whether the innermost frame has its frame
 * pointer yet (unwind_scan.h), and how a trampoline ends; they are read by
 *
 *   #define UNWIND_READ_CODE(memory, address, to, size)
 *
 * which defaults to UNWIND_READ. Go's thread-local variables are found by
 *
 *   #define UNWIND_READ_THREAD(memory, offset, to, size)
 *
 * which reads at an offset from the thread pointer. If it is not defined, every such read fails.
 */
#ifndef BPF_UNWIND_STEP_H
#define BPF_UNWIND_STEP_H

#include "bpf/stack_wire.h"
#include "bpf/unwind_frame.h"
#include "bpf/unwind_rows.h"
#include "bpf/unwind_scan.h"

/* The address for looking up a frame's row: a call may be the last instruction of its function. */
UNWIND_INLINE __u64 unwind_lookup_address(const struct unwind_frame *frame)
{
	return frame->exact ? frame->pc : frame->pc - 1;
}

UNWIND_INLINE void unwind_begin(struct unwind_frame *frame,
				const struct unwind_registers *registers, int arm64)
{
	frame->pc = registers->pc;
	frame->sp = registers->values[arm64 ? UNWIND_ARM64_SP : UNWIND_X86_SP];
	frame->fp = registers->values[arm64 ? UNWIND_ARM64_FP : UNWIND_X86_FP];
	frame->lr = arm64 ? registers->values[UNWIND_ARM64_LR] : 0;
	frame->exact = 1;
	frame->fp_known = 1;
	frame->lr_known = !!arm64;
	frame->guessed = 0;
	frame->bx_known = !arm64;
	frame->sched = 0;
	frame->unframed = 0;
	frame->unproven = 0;
	frame->bx = arm64 ? 0 : registers->values[UNWIND_X86_BX];
	frame->bx_at = 0;
}

/* The value of a register that has a CFA's base or a return address. @registers: for the innermost
 * frame, else NULL. */
UNWIND_INLINE enum unwind_end unwind_find_register(const struct unwind_frame *frame, __u16 reg,
						   const struct unwind_registers *registers,
						   const void *memory, __u64 *ret_value)
{
	if (registers) {
		if (reg >= UNWIND_REGISTERS || !(registers->known >> reg & 1))
			return UNWIND_END_NO_ROWS;
		*ret_value = registers->values[reg];
		return UNWIND_MORE;
	}
	if (reg != UNWIND_X86_BX || !frame->bx_known)
		return UNWIND_END_NO_ROWS;
	*ret_value = frame->bx;
	if (frame->bx_at && UNWIND_READ(memory, frame->bx_at, ret_value, sizeof(*ret_value)) < 0)
		return UNWIND_END_NO_MEMORY;
	return UNWIND_MORE;
}

/* Finds the caller's rbx. If its place is below the stack pointer, it was popped already, as with
 * the frame pointer. */
UNWIND_INLINE void unwind_follow_bx(struct unwind_frame *frame, const struct unwind_rule *rule,
				    __u64 cfa)
{
	__u64 at = cfa + (__u64)(__s64)rule->bx_offset;

	if (rule->bx_offset == UNWIND_BX_LOST || rule->flags & UNWIND_RULE_SIGNAL)
		frame->bx_known = 0;
	else if (rule->bx_offset && at >= frame->sp)
		frame->bx_at = at;
}

/* The CFA by its rule. @registers: for the innermost frame, else NULL. */
UNWIND_INLINE enum unwind_end unwind_find_cfa(const struct unwind_frame *frame,
					      const struct unwind_rule *rule,
					      const struct unwind_registers *registers,
					      const void *memory, __u64 *ret_cfa)
{
	__u64 at = frame->sp;

	if (rule->cfa == UNWIND_CFA_REGISTER) {
		enum unwind_end end =
			unwind_find_register(frame, rule->reg, registers, memory, &at);

		if (end != UNWIND_MORE)
			return end;
	} else if (rule->cfa == UNWIND_CFA_FP || rule->cfa == UNWIND_CFA_FP_DEREF) {
		if (!frame->fp_known)
			return UNWIND_END_NO_ROWS;
		at = frame->fp;
	} else if (rule->cfa == UNWIND_CFA_PLT) {
		*ret_cfa = at + 8 + ((frame->pc & 15) >= (__u64)rule->cfa_offset ? 8 : 0);
		return UNWIND_MORE;
	}
	at += (__u64)(__s64)rule->cfa_offset;
	if (rule->cfa == UNWIND_CFA_FP_DEREF || rule->cfa == UNWIND_CFA_SP_DEREF) {
		if (UNWIND_READ(memory, at, &at, sizeof(at)) < 0)
			return UNWIND_END_NO_MEMORY;
		at += rule->add;
	}
	*ret_cfa = at;
	return UNWIND_MORE;
}

/* The goroutine of a thread that is on its own stack. */
UNWIND_INLINE enum unwind_end unwind_find_goroutine(const struct unwind_rule *rule,
						    const void *memory, __u64 *ret_goroutine)
{
	__u64 at = 0;

	if (UNWIND_READ_THREAD(memory, (__u64)(__s64)rule->cfa_offset, &at, sizeof(at)) < 0 ||
	    UNWIND_READ(memory, at + rule->reg, &at, sizeof(at)) < 0 ||
	    UNWIND_READ(memory, at + rule->add, &at, sizeof(at)) < 0 || !at)
		return UNWIND_END_SWITCHED;
	*ret_goroutine = at;
	return UNWIND_MORE;
}

/* Where Go's runtime left the goroutine's stack. */
UNWIND_INLINE enum unwind_end unwind_find_go_stack(const struct unwind_frame *frame,
						   const struct unwind_rule *rule,
						   const void *memory, __u64 *ret_sp)
{
	__u64 at = 0, depth = 0;

	if (rule->cfa == UNWIND_CFA_GO_SAVED) {
		if (unwind_find_goroutine(rule, memory, &at) != UNWIND_MORE ||
		    UNWIND_READ(memory, at + rule->more, ret_sp, sizeof(*ret_sp)) < 0)
			return UNWIND_END_SWITCHED;
		return UNWIND_MORE;
	}
	if (UNWIND_READ(memory, frame->sp + (__u64)(__s64)rule->cfa_offset, &at, sizeof(at)) < 0 ||
	    UNWIND_READ(memory, at + rule->add, &at, sizeof(at)) < 0 ||
	    UNWIND_READ(memory, frame->sp + rule->reg, &depth, sizeof(depth)) < 0)
		return UNWIND_END_SWITCHED;
	*ret_sp = at - depth;
	return UNWIND_MORE;
}

/* The address where a register of the caller was saved. */
UNWIND_INLINE __u64 unwind_saved_at(const struct unwind_frame *frame, __u8 saved, __s32 offset,
				    __u64 cfa)
{
	__u64 from = saved == UNWIND_SAVED_CFA	? cfa
		     : saved == UNWIND_SAVED_SP ? frame->sp
						: frame->fp;

	return from + (__u64)(__s64)offset;
}

/* Restores the caller's frame pointer. In an epilogue its place may already be below the stack
 * pointer, where a copy does not reach; then the register has its value again. So it has if the place is
 * counted from the frame pointer and lies outside of the frame. */
UNWIND_INLINE void unwind_restore_fp(struct unwind_frame *frame, const struct unwind_rule *rule,
				     const void *memory, __u64 cfa)
{
	__u64 at = unwind_saved_at(frame, rule->fp, rule->fp_offset, cfa), value;
	int lost;

	if (rule->fp == UNWIND_SAVED_SAME || rule->fp >= UNWIND_SAVED_LINK ||
	    (rule->fp == UNWIND_SAVED_FP && frame->fp_known && at >= cfa))
		return;
	lost = rule->fp == UNWIND_SAVED_UNDEFINED ||
	       (rule->fp == UNWIND_SAVED_FP && !frame->fp_known);
	if (!lost && UNWIND_READ(memory, at, &value, sizeof(value)) == 0)
		frame->fp = value;
	else if (lost || at >= frame->sp)
		frame->fp_known = 0;
}

/* The return address. */
UNWIND_INLINE enum unwind_end unwind_find_ra(struct unwind_frame *frame,
					     const struct unwind_rule *rule,
					     const struct unwind_registers *registers,
					     const void *memory, __u64 cfa, int arm64,
					     __u64 *ret_ra)
{
	__u64 at = unwind_saved_at(frame, rule->ra, rule->ra_offset, cfa);

	if (rule->ra == UNWIND_SAVED_REGISTER)
		return unwind_find_register(frame, rule->reg, registers, memory, ret_ra);
	if (rule->ra == UNWIND_SAVED_SAME) {
		*ret_ra = frame->lr;
		if (!frame->lr_known)
			return UNWIND_END_BAD_FRAME;
		frame->lr_known = 0;
		return UNWIND_MORE;
	}
	if (rule->ra == UNWIND_SAVED_FP && !frame->fp_known)
		return UNWIND_END_NO_ROWS;
	if (UNWIND_READ(memory, at, ret_ra, sizeof(*ret_ra)) < 0)
		return UNWIND_END_NO_MEMORY;
	frame->lr_known = 0;
	if (arm64 && rule->flags & UNWIND_RULE_SIGNAL)
		frame->lr_known = UNWIND_READ(memory, at - 16, &frame->lr, 8) == 0;
	return UNWIND_MORE;
}

/* arm64's handlers save the caller's lr before they set it to where the caller goes on. */
UNWIND_INLINE __u64 unwind_take_saved_lr(struct unwind_frame *frame, const void *memory, __u64 cfa)
{
	frame->lr_known = UNWIND_READ(memory, cfa, &frame->lr, sizeof(frame->lr)) == 0;
	return cfa + 16;
}

/* True if a frame with UNWIND_SAVED_LINK, or MAYBE_LINK, is set up: the caller's fp is in it. */
UNWIND_INLINE int unwind_is_linked(const struct unwind_frame *frame, const struct unwind_rule *rule,
				   __u64 cfa)
{
	if (rule->fp == UNWIND_SAVED_LINK && !frame->exact)
		return 1;
	return frame->fp_known && frame->fp == cfa + (__u64)(__s64)rule->fp_offset;
}

/* Restores the caller's return address and fp. Most functions save them side by side, and reads are
 * the cost of a step. */
UNWIND_INLINE enum unwind_end unwind_restore(struct unwind_frame *frame,
					     const struct unwind_rule *rule,
					     const struct unwind_registers *registers,
					     const void *memory, __u64 cfa, int arm64,
					     __u64 *ret_ra)
{
	enum unwind_end end;
	int links = rule->fp >= UNWIND_SAVED_LINK;
	__u64 pair[2];

	if (rule->ra == UNWIND_SAVED_CFA && (rule->fp == UNWIND_SAVED_CFA || links) &&
	    (__s64)rule->fp_offset + 8 == rule->ra_offset &&
	    UNWIND_READ(memory, cfa + (__u64)(__s64)rule->fp_offset, pair, sizeof(pair)) == 0) {
		if (!links || unwind_is_linked(frame, rule, cfa)) {
			frame->fp = pair[0];
			frame->fp_known |= links;
		}
		frame->lr_known = 0;
		*ret_ra = pair[1];
		return UNWIND_MORE;
	}
	end = unwind_find_ra(frame, rule, registers, memory, cfa, arm64, ret_ra);
	if (end == UNWIND_MORE)
		unwind_restore_fp(frame, rule, memory, cfa);
	return end;
}

/* From morestack to the function that called it, which has no frame yet. */
UNWIND_INLINE enum unwind_end unwind_resume(struct unwind_frame *frame,
					    const struct unwind_rule *rule, const void *memory)
{
	__u64 goroutine = 0, saved[2]; /* sp, pc */

	/* Instead of giving it a larger stack, the runtime preempted the goroutine. */
	if (frame->sched)
		return UNWIND_END_COMPLETE;
	if (unwind_find_goroutine(rule, memory, &goroutine) != UNWIND_MORE ||
	    UNWIND_READ(memory, goroutine + rule->more, saved, sizeof(saved)) < 0 || !saved[1])
		return UNWIND_END_SWITCHED;
	frame->fp_known = rule->fp == UNWIND_SAVED_CFA &&
			  UNWIND_READ(memory, goroutine + (__u64)(__s64)rule->fp_offset, &frame->fp,
				      sizeof(frame->fp)) == 0;
	frame->pc = saved[1];
	frame->sp = saved[0];
	frame->exact = 0;
	frame->guessed = 0;
	frame->bx_known = 0;
	frame->unframed = 1;
	return UNWIND_MORE;
}

/* The return address is at the stack pointer: at a return instruction, or where a function begins. */
UNWIND_INLINE enum unwind_end unwind_by_return(struct unwind_frame *frame, const void *memory)
{
	__u64 ra = 0;

	if (UNWIND_READ(memory, frame->sp, &ra, sizeof(ra)) < 0)
		return UNWIND_END_NO_MEMORY;
	if (ra == 0)
		return UNWIND_END_COMPLETE;
	frame->pc = ra;
	frame->sp += sizeof(ra);
	frame->lr_known = frame->exact = frame->guessed = frame->unframed = 0;
	return UNWIND_MORE;
}

UNWIND_INLINE enum unwind_end unwind_by_rule(struct unwind_frame *frame,
					     const struct unwind_rule *rule,
					     const struct unwind_registers *registers,
					     const void *memory, int arm64)
{
	__u64 cfa = 0, ra = 0;
	enum unwind_end end;

	if (rule->ra == UNWIND_SAVED_UNDEFINED)
		return UNWIND_END_COMPLETE;
	if (rule->cfa == UNWIND_CFA_SWITCHED)
		return UNWIND_END_SWITCHED;
	if (rule->cfa == UNWIND_CFA_GO_RESUMED)
		return unwind_resume(frame, rule, memory);
	if (rule->cfa == UNWIND_CFA_GO_DEPTH || rule->cfa == UNWIND_CFA_GO_SAVED) {
		end = unwind_find_go_stack(frame, rule, memory, &cfa);
		cfa += rule->fp == UNWIND_SAVED_CFA ? 16 : 8;
	} else {
		end = unwind_find_cfa(frame, rule, registers, memory, &cfa);
	}
	if (end != UNWIND_MORE)
		return rule->flags & UNWIND_RULE_SWITCH ? UNWIND_END_SWITCHED : end;
	/* Stacks grow downwards. But a signal handler may have its own stack, and functions with
	 * the return address in a register need not push anything. */
	if (!(rule->flags & (UNWIND_RULE_SIGNAL | UNWIND_RULE_SWITCH)) &&
	    cfa < frame->sp + (rule->ra == UNWIND_SAVED_CFA))
		return UNWIND_END_BAD_FRAME;
	end = unwind_restore(frame, rule, registers, memory, cfa, arm64, &ra);
	if (end == UNWIND_END_NO_MEMORY && rule->flags & UNWIND_RULE_SWITCH)
		return UNWIND_END_SWITCHED;
	if (end != UNWIND_MORE)
		return end;
	if (arm64)
		ra &= UNWIND_ARM64_ADDRESS;
	if (ra == 0)
		return UNWIND_END_COMPLETE;
	unwind_follow_bx(frame, rule, cfa);
	if (arm64 && rule->flags & UNWIND_RULE_INJECTED)
		cfa = unwind_take_saved_lr(frame, memory, cfa);
	frame->pc = ra;
	frame->sp = cfa;
	frame->exact = !!(rule->flags & (UNWIND_RULE_SIGNAL | UNWIND_RULE_INJECTED));
	frame->guessed = 0;
	return UNWIND_MORE;
}

/* An epilogue: what it takes off the stack before the return address. */
struct unwind_epilogue {
	__u64 bytes;
	__u8 pops_fp;
};

/* x86-64: true for "add $BYTES,%rsp; pop %rbp; ret"; the first two are optional. */
UNWIND_INLINE int unwind_read_epilogue(__u64 code, struct unwind_epilogue *epilogue)
{
	enum { ADD_RSP = 0xc48348, SIGN = 0x80, POP_RBP = 0x5d, RET = 0xc3 };

	epilogue->bytes = 0;
	if ((code & 0xffffff) == ADD_RSP && !(code >> 24 & SIGN)) {
		epilogue->bytes = code >> 24 & 0xff;
		code >>= 32;
	}
	epilogue->pops_fp = (code & 0xff) == POP_RBP;
	if (epilogue->pops_fp)
		code >>= 8;
	return (code & 0xff) == RET;
}

/* For trampolines that call and return without a row or frame pointer of their own, such as
 * CPython's (-X perf). UNWIND_END_NO_ROWS: there is no epilogue here, nothing is known. */
UNWIND_INLINE enum unwind_end unwind_by_epilogue(struct unwind_frame *frame, const void *memory)
{
	struct unwind_epilogue epilogue;
	__u64 code, fp = frame->fp, ra, at;

	if (UNWIND_READ_CODE(memory, frame->pc, &code, sizeof(code)) < 0 ||
	    !unwind_read_epilogue(code, &epilogue))
		return UNWIND_END_NO_ROWS;
	at = frame->sp + epilogue.bytes;
	if (epilogue.pops_fp) {
		if (UNWIND_READ(memory, at, &fp, sizeof(fp)) < 0)
			return UNWIND_END_NO_ROWS;
		at += sizeof(fp);
	}
	if (UNWIND_READ(memory, at, &ra, sizeof(ra)) < 0)
		return UNWIND_END_NO_ROWS;
	if (ra == 0)
		return UNWIND_END_COMPLETE;
	frame->fp = fp;
	frame->fp_known |= epilogue.pops_fp;
	frame->pc = ra;
	frame->sp = at + sizeof(ra);
	frame->exact = 0;
	return UNWIND_MORE;
}

/* True if the code clears the frame pointer shortly before the call. In C libraries whose clone()
 * has no row, threads start like this (x86-64 psABI 3.4.1, AAPCS64 6.4.6). */
UNWIND_INLINE int unwind_begins_thread(const struct unwind_frame *frame, const void *memory,
				       int arm64)
{
	enum { CODE = 16, XOR_EBP = 0x31, XOR_EBP_2 = 0xed, CALL = 2 };
	const __u32 mov_x29_0 = 0xd280001d, mov_x29_xzr = 0xaa1f03fd;
	union {
		__u8 bytes[CODE];
		__u32 words[CODE / 4];
	} code;

	if (UNWIND_READ_CODE(memory, frame->pc - CODE, &code, sizeof(code)) < 0)
		return 0;
	for (int i = 0; arm64 && i < CODE / 4 - 1; i++) {
		if (code.words[i] == mov_x29_0 || code.words[i] == mov_x29_xzr)
			return 1;
	}
	for (int i = 0; !arm64 && i <= CODE - CALL - 2; i++) {
		if (code.bytes[i] == XOR_EBP && code.bytes[i + 1] == XOR_EBP_2)
			return 1;
	}
	return 0;
}

/* What is known of the code of a frame. */
struct unwind_place {
	const struct unwind_rule
		*rule; /* for unwind_lookup_address; NULL or UNWIND_CFA_NONE: none */
	__u8 entry;    /* a program starts here */
	__u8 has_rows; /* other code of the image has rows */
	const struct unwind_scan *scan; /* of the innermost frame, if it has no rule; else NULL */
};

/* A chain of frame pointers ends with zero, or with a return address of zero. If rows led to the
 * frame, the register may have any value, for example a counter of hand-written code that reaches
 * zero. On x86-64 it may have any in @place that has no row although its image has others: there the
 * instructions do not show a frame pointer. Where nothing else shows one, the return address at least
 * follows a call. */
UNWIND_INLINE enum unwind_end unwind_by_frame_pointer(struct unwind_frame *frame,
						      const struct unwind_place *place, int proven,
						      const void *memory, int arm64)
{
	__u64 pair[2]; /* the caller's fp, the return address */

	if (!frame->fp_known)
		return UNWIND_END_NO_ROWS;
	if (frame->fp == 0 && !frame->exact &&
	    (frame->guessed || unwind_begins_thread(frame, memory, arm64)))
		return UNWIND_END_COMPLETE;
	if (frame->fp < frame->sp || frame->fp % 8 ||
	    UNWIND_READ(memory, frame->fp, pair, sizeof(pair)) < 0)
		return UNWIND_END_NO_ROWS;
	if (arm64)
		pair[1] &= UNWIND_ARM64_ADDRESS;
	if (pair[1] == 0)
		return frame->guessed ? UNWIND_END_COMPLETE : UNWIND_END_NO_ROWS;
	if (!arm64 && (place->has_rows || (!proven && !unwind_follows_call(pair[1], memory, 1))))
		return UNWIND_END_NO_ROWS;
	frame->sp = frame->fp + 16;
	frame->fp = pair[0];
	frame->pc = pair[1];
	frame->lr_known = 0;
	frame->bx_known = 0;
	frame->exact = 0;
	frame->guessed = 1;
	return UNWIND_MORE;
}

/* Without a row. Frames that were not found by frame pointers alone keep the others provable. */
UNWIND_INLINE enum unwind_end unwind_without_row(struct unwind_frame *frame,
						 const struct unwind_place *place,
						 const void *memory, int arm64)
{
	enum unwind_end end = UNWIND_END_NO_ROWS;
	int proven = !place->has_rows &&
		     (!frame->exact || (place->scan && place->scan->result == UNWIND_SCAN_FRAME));

	if (!arm64 && place->scan && place->scan->result == UNWIND_SCAN_FOUND)
		end = unwind_by_scan(frame, place->scan, memory);
	else if (!arm64 && !frame->exact)
		end = unwind_by_epilogue(frame, memory);
	if (end != UNWIND_END_NO_ROWS)
		return end;
	end = unwind_by_frame_pointer(frame, place, proven, memory, arm64);
	if (!proven && end != UNWIND_END_NO_ROWS)
		frame->unproven = 1;
	return end;
}

/* Steps from a frame in executable memory to its caller. @registers: for the innermost frame, else
 * NULL. Any result but UNWIND_MORE: there is no caller, and the frame's pc is unchanged. */
UNWIND_INLINE enum unwind_end unwind_step(struct unwind_frame *frame,
					  const struct unwind_place *place,
					  const struct unwind_registers *registers,
					  const void *memory, int arm64)
{
	const struct unwind_rule *rule = place->rule;

	if (place->entry)
		return UNWIND_END_COMPLETE;
	if (rule && rule->flags & UNWIND_RULE_SCHEDULER)
		frame->sched = 1;
	if (frame->unframed || (rule && rule->flags & UNWIND_RULE_AFTER_RETURN && frame->exact))
		return unwind_by_return(frame, memory);
	if (rule && rule->cfa != UNWIND_CFA_NONE)
		return unwind_by_rule(frame, rule, registers, memory, arm64);
	return unwind_without_row(frame, place, memory, arm64);
}

/* How a walk ended. Where frame pointers alone led, frames may be missing, complete or not. */
UNWIND_INLINE enum unwind_end unwind_finish(const struct unwind_frame *frame, enum unwind_end end)
{
	return frame->unproven && (end == UNWIND_END_COMPLETE || end == UNWIND_END_NO_ROWS ||
				   end == UNWIND_END_BAD_FRAME)
		       ? UNWIND_END_FRAME_POINTERS
		       : end;
}

/* Why a walk ends at a pc that is not in executable memory. */
UNWIND_INLINE enum unwind_end unwind_nowhere(const struct unwind_frame *frame)
{
	return frame->guessed ? UNWIND_END_NO_ROWS : UNWIND_END_BAD_FRAME;
}

#endif
