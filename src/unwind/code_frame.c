/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/code_frame.h"

enum {
	WORD = 8,
	MAX_OFFSET = 1 << 24, /* of a frame; larger ones are unknown */
};

static int32_t moved(int32_t offset, int64_t by)
{
	int64_t sum = (int64_t)offset + by;

	return offset == CODE_FRAME_UNKNOWN || sum > MAX_OFFSET || sum < -MAX_OFFSET
		       ? CODE_FRAME_UNKNOWN
		       : (int32_t)sum;
}

/* rbp takes another value than the caller's, unless it comes from where that was saved. */
static void load_fp(struct code_frame *frame, int32_t from)
{
	frame->same = frame->saved && from == frame->saved;
	frame->fp = CODE_FRAME_UNKNOWN;
}

static void store_fp(struct code_frame *frame, int32_t at)
{
	if (frame->same && !frame->saved && at != CODE_FRAME_UNKNOWN && at > WORD)
		frame->saved = at;
}

/* What was saved below the stack pointer is given up. */
static void set_sp(struct code_frame *frame, int32_t sp)
{
	frame->sp = sp;
	if (sp != CODE_FRAME_UNKNOWN && frame->saved > sp)
		frame->saved = 0;
	if (sp != CODE_FRAME_UNKNOWN && frame->kept > sp)
		frame->kept = 0;
}

/* ---- stacks that are aligned ---- */

enum { FIRST_HOLDER = 8, R12 = 12 };

/* The register that an opcode has in itself, as those of push and pop. */
static uint8_t reg_of_opcode(const struct x86_code *code)
{
	return (code->op & 7) | (code->rex & X86_REX_B ? 8 : 0);
}

/* lea sp(%rsp),%holder */
static bool takes_cfa(const struct x86_code *code, const struct code_frame *frame)
{
	return code->map == 0 && code->op == 0x8d && x86_mod(code) != 3 &&
	       x86_is_at(code, X86_SP) && !frame->aligned && frame->sp != CODE_FRAME_UNKNOWN &&
	       code->displacement == frame->sp && x86_reg(code) >= FIRST_HOLDER;
}

/* mov -kept(%rbp),%holder */
static bool loads_cfa(const struct x86_code *code, const struct code_frame *frame)
{
	return code->map == 0 && code->op == 0x8b && code->rex & X86_REX_W && x86_mod(code) != 3 &&
	       x86_is_at(code, X86_FP) && frame->kept &&
	       moved(frame->fp, -(int64_t)code->displacement) == frame->kept &&
	       x86_reg(code) >= FIRST_HOLDER;
}

static bool pops_cfa(const struct x86_code *code, const struct code_frame *frame)
{
	return code->kind == X86_POP && code->op != 0x8f && frame->kept &&
	       frame->sp == frame->kept && reg_of_opcode(code) >= FIRST_HOLDER;
}

/* True for an instruction that may change the register, or a call of a function that may. */
static bool changes(const struct x86_code *code, uint8_t reg)
{
	if (code->kind == X86_CALL || code->kind == X86_CALL_INDIRECT)
		return reg < R12;
	if (code->kind == X86_POP && code->map == 0 && code->op >= 0x58 && code->op <= 0x5f)
		return reg_of_opcode(code) == reg;
	return x86_writes(code, reg) || x86_writes_extra(code, reg);
}

static void follow_holder(const struct x86_code *code, struct code_frame *frame)
{
	if (takes_cfa(code, frame) || loads_cfa(code, frame))
		frame->holder = x86_reg(code);
	else if (pops_cfa(code, frame))
		frame->holder = reg_of_opcode(code);
	else if (frame->holder && changes(code, frame->holder))
		frame->holder = 0;
}

/* and $-N,%rsp */
static bool aligns(const struct x86_code *code)
{
	enum { AND = 4 };

	return code->map == 0 && (code->op == 0x81 || code->op == 0x83) && x86_group(code) == AND &&
	       x86_mod(code) == 3 && x86_rm(code) == X86_SP;
}

/* lea -N(%holder),%rsp */
static bool goes_back(const struct x86_code *code, const struct code_frame *frame)
{
	enum { SIB = 4 };

	return frame->holder && code->map == 0 && code->op == 0x8d && code->rex & X86_REX_W &&
	       (x86_mod(code) == 1 || x86_mod(code) == 2) && (code->modrm & 7) != SIB &&
	       x86_rm(code) == frame->holder;
}

/* The stack pointer takes a value that is not counted from its old one. */
static void lose_sp(const struct x86_code *code, struct code_frame *frame)
{
	if (goes_back(code, frame)) {
		frame->aligned = 0;
		frame->fp = CODE_FRAME_UNKNOWN;
		frame->saved = frame->kept = 0;
		frame->sp = moved(0, -(int64_t)code->displacement);
	} else if (frame->holder && !frame->aligned && aligns(code)) {
		frame->aligned = 1;
		frame->fp = CODE_FRAME_UNKNOWN;
		frame->saved = frame->sp = 0;
	} else {
		frame->sp = CODE_FRAME_UNKNOWN;
	}
}

bool code_frame_begins_thread(const struct x86_code *code, const struct code_frame *frame)
{
	return code->map == 0 && !code->rex && (code->op == 0x31 || code->op == 0x33) &&
	       code->modrm == 0xed && frame->same && !frame->saved;
}

void code_frame_apply(const struct x86_code *code, struct code_frame *frame)
{
	int32_t sp = frame->sp;

	follow_holder(code, frame);
	switch (code->kind) {
	case X86_PUSH_FP:
		set_sp(frame, moved(sp, WORD));
		store_fp(frame, frame->sp);
		break;
	case X86_PUSH:
		set_sp(frame, moved(sp, WORD));
		if (frame->aligned && code->op >= 0x50 && code->op <= 0x57 &&
		    reg_of_opcode(code) == frame->holder && sp != CODE_FRAME_UNKNOWN)
			frame->kept = frame->sp;
		break;
	case X86_POP_FP:
		load_fp(frame, sp);
		set_sp(frame, moved(sp, -WORD));
		break;
	case X86_POP:
		set_sp(frame, moved(sp, -WORD));
		break;
	case X86_ADD_SP:
		set_sp(frame, moved(sp, -(int64_t)code->value));
		break;
	case X86_SET_FP:
		frame->same = false;
		frame->fp = moved(sp, -(int64_t)code->value);
		break;
	case X86_SET_SP:
		set_sp(frame, moved(frame->fp, -(int64_t)code->value));
		break;
	case X86_LEAVE:
		sp = frame->fp;
		load_fp(frame, sp);
		set_sp(frame, moved(sp, -WORD));
		break;
	case X86_STORE_FP:
		store_fp(frame, moved(sp, -(int64_t)code->value));
		break;
	case X86_LOAD_FP:
		load_fp(frame, moved(sp, -(int64_t)code->value));
		break;
	case X86_LOSE_BOTH:
		*frame = (struct code_frame){ .sp = CODE_FRAME_UNKNOWN, .fp = CODE_FRAME_UNKNOWN };
		break;
	case X86_LOSE_SP:
		lose_sp(code, frame);
		break;
	case X86_LOSE_FP:
		load_fp(frame, CODE_FRAME_UNKNOWN);
		break;
	default:
		break;
	}
}

struct code_frame code_frame_merge(const struct code_frame *a, const struct code_frame *b)
{
	struct code_frame both = *a;

	if (a->aligned != b->aligned)
		return (struct code_frame){ .sp = CODE_FRAME_UNKNOWN, .fp = CODE_FRAME_UNKNOWN };
	if (a->sp != b->sp)
		both.sp = CODE_FRAME_UNKNOWN;
	if (a->fp != b->fp)
		both.fp = CODE_FRAME_UNKNOWN;
	if (a->saved != b->saved)
		both.saved = 0;
	if (a->kept != b->kept)
		both.kept = 0;
	if (a->holder != b->holder)
		both.holder = 0;
	both.same &= b->same;
	return both;
}

bool code_frame_disagree(const struct code_frame *a, const struct code_frame *b)
{
	return a->sp != CODE_FRAME_UNKNOWN && b->sp != CODE_FRAME_UNKNOWN &&
	       a->aligned == b->aligned && a->sp != b->sp;
}

bool code_frame_is_lost(const struct code_frame *frame)
{
	if (frame->aligned)
		return !frame->holder && (!frame->kept || frame->fp == CODE_FRAME_UNKNOWN);
	return frame->sp == CODE_FRAME_UNKNOWN && frame->fp == CODE_FRAME_UNKNOWN;
}

bool code_frame_is_left(const struct code_frame *frame)
{
	return frame->sp == WORD && frame->same && !frame->aligned;
}

/* Finds the caller's rbp by the frame pointer: nothing else is at a known distance. */
static void rule_of_aligned(const struct code_frame *frame, struct unwind_rule *rule)
{
	bool framed = frame->fp != CODE_FRAME_UNKNOWN;

	if (framed && frame->kept) {
		rule->cfa = UNWIND_CFA_FP_DEREF;
		rule->cfa_offset = frame->fp - frame->kept;
	} else {
		rule->cfa = UNWIND_CFA_REGISTER;
		rule->reg = frame->holder; /* DWARF has the same numbers from r8 on */
	}
	rule->fp = frame->same		    ? UNWIND_SAVED_SAME
		   : frame->saved && framed ? UNWIND_SAVED_FP
					    : UNWIND_SAVED_UNDEFINED;
	rule->fp_offset = rule->fp == UNWIND_SAVED_FP ? frame->fp - frame->saved : 0;
}

struct unwind_rule code_frame_rule(const struct code_frame *frame)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_NONE };

	if (frame->outermost)
		return (struct unwind_rule){ .cfa = UNWIND_CFA_SP,
					     .ra = UNWIND_SAVED_UNDEFINED,
					     .fp = UNWIND_SAVED_UNDEFINED };
	if (code_frame_is_lost(frame) ||
	    (!frame->aligned && frame->sp != CODE_FRAME_UNKNOWN && frame->sp < WORD))
		return rule;
	rule.ra = UNWIND_SAVED_CFA;
	rule.ra_offset = -WORD;
	rule.bx_offset = UNWIND_BX_LOST;
	if (frame->aligned) {
		rule_of_aligned(frame, &rule);
		return rule;
	}
	rule.cfa = frame->sp != CODE_FRAME_UNKNOWN ? UNWIND_CFA_SP : UNWIND_CFA_FP;
	rule.cfa_offset = frame->sp != CODE_FRAME_UNKNOWN ? frame->sp : frame->fp;
	rule.fp = frame->same	 ? UNWIND_SAVED_SAME
		  : frame->saved ? UNWIND_SAVED_CFA
				 : UNWIND_SAVED_UNDEFINED;
	rule.fp_offset = frame->same ? 0 : -frame->saved;
	return rule;
}
