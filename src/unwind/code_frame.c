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
	if (frame->same && at != CODE_FRAME_UNKNOWN && at > WORD)
		frame->saved = at;
}

/* What was saved below the stack pointer is given up. */
static void set_sp(struct code_frame *frame, int32_t sp)
{
	frame->sp = sp;
	if (sp != CODE_FRAME_UNKNOWN && frame->saved > sp)
		frame->saved = 0;
}

bool code_frame_begins_thread(const struct x86_code *code, const struct code_frame *frame)
{
	return code->map == 0 && !code->rex && (code->op == 0x31 || code->op == 0x33) &&
	       code->modrm == 0xed && frame->same && !frame->saved;
}

void code_frame_apply(const struct x86_code *code, struct code_frame *frame)
{
	int32_t sp = frame->sp;

	switch (code->kind) {
	case X86_PUSH_FP:
		set_sp(frame, moved(sp, WORD));
		store_fp(frame, frame->sp);
		break;
	case X86_PUSH:
		set_sp(frame, moved(sp, WORD));
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
		frame->sp = CODE_FRAME_UNKNOWN;
		break;
	case X86_LOSE_FP:
		load_fp(frame, CODE_FRAME_UNKNOWN);
		break;
	default:
		break;
	}
}

struct unwind_rule code_frame_rule(const struct code_frame *frame)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_NONE };

	if (frame->outermost)
		return (struct unwind_rule){ .cfa = UNWIND_CFA_SP,
					     .ra = UNWIND_SAVED_UNDEFINED,
					     .fp = UNWIND_SAVED_UNDEFINED };
	if (frame->sp != CODE_FRAME_UNKNOWN && frame->sp >= WORD) {
		rule.cfa = UNWIND_CFA_SP;
		rule.cfa_offset = frame->sp;
	} else if (frame->sp == CODE_FRAME_UNKNOWN && frame->fp != CODE_FRAME_UNKNOWN) {
		rule.cfa = UNWIND_CFA_FP;
		rule.cfa_offset = frame->fp;
	} else {
		return rule;
	}
	rule.ra = UNWIND_SAVED_CFA;
	rule.ra_offset = -WORD;
	rule.fp = frame->same	 ? UNWIND_SAVED_SAME
		  : frame->saved ? UNWIND_SAVED_CFA
				 : UNWIND_SAVED_UNDEFINED;
	rule.fp_offset = frame->same ? 0 : -frame->saved;
	rule.bx_offset = UNWIND_BX_LOST;
	return rule;
}
