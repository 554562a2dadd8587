/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function's frame before one of its instructions, and what the instruction does to it. */
#ifndef UNWIND_CODE_FRAME_H
#define UNWIND_CODE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind_rows.h"
#include "bpf/x86_code.h"

enum { CODE_FRAME_UNKNOWN = INT32_MIN };

/* Frames without a caller: those that are given, and where rbp was cleared. */
enum code_frame_outermost { CODE_FRAME_CALLED, CODE_FRAME_GIVEN, CODE_FRAME_CLEARED };

/*
 * A frame before an instruction. CFA: the stack pointer before the call. Functions whose stack has to be
 * aligned keep the CFA in a register ("lea 8(%rsp),%r10; and $-64,%rsp"), and on the stack when they call.
 */
struct code_frame {
	int32_t sp;	   /* BASE - rsp, or CODE_FRAME_UNKNOWN */
	int32_t fp;	   /* BASE - rbp, or CODE_FRAME_UNKNOWN */
	int32_t saved;	   /* the caller's rbp is at BASE - saved; 0: nowhere */
	int32_t kept;	   /* the CFA is at BASE - kept; 0: nowhere */
	uint8_t same;	   /* rbp is still the caller's */
	uint8_t outermost; /* enum code_frame_outermost */
	uint8_t aligned;   /* BASE is the aligned stack pointer, otherwise the CFA */
	uint8_t holder;	   /* r8 to r15, which has the CFA; 0: none */
};

/* What two ways to an instruction agree on. Neither @a nor @b is outermost. */
struct code_frame code_frame_merge(const struct code_frame *a, const struct code_frame *b);
/* True if the stack pointers are known, and differ. */
bool code_frame_disagree(const struct code_frame *a, const struct code_frame *b);
/* True if neither register leads to the caller. */
bool code_frame_is_lost(const struct code_frame *frame);
/* True where the caller would find its frame as it was, as at a return. */
bool code_frame_is_left(const struct code_frame *frame);

/* The frame after an instruction that goes on to the next one. */
void code_frame_apply(const struct x86_code *code, struct code_frame *frame);
/* True for an instruction that clears rbp where that was not saved, which begins a thread (x86-64
 * psABI 3.4.1). */
bool code_frame_begins_thread(const struct x86_code *code, const struct code_frame *frame);
/* The rule before the instruction; all zeroes: neither register leads to the caller. */
struct unwind_rule code_frame_rule(const struct code_frame *frame);

#endif
