/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/x86_code.h"

#include "unwind/x86_parts.h"

static bool is_mov_sp_fp(const struct x86_parts *p, uint8_t to, uint8_t from)
{
	if (p->map != X86_MAP_ONE || p->mod != 3 || !p->w)
		return false;
	return (p->opcode == 0x89 && p->rm == to && p->reg == from) ||
	       (p->opcode == 0x8b && p->reg == to && p->rm == from);
}

/* lea value(from),to */
static bool is_lea(const struct x86_parts *p, uint8_t to, uint8_t from)
{
	return p->map == X86_MAP_ONE && p->opcode == 0x8d && p->w && !p->short_address &&
	       p->mod != 3 && p->reg == to && p->base == from && p->index == X86_NO_REGISTER;
}

/* add, sub and and of a number to rsp, and sub of a register. */
static enum x86_effect arithmetic_on_sp(const struct x86_parts *p, int64_t *ret_value)
{
	enum { ADD = 0, AND = 4, SUB = 5 };

	if (p->map != X86_MAP_ONE || p->mod != 3 || !p->w)
		return X86_UNKNOWN;
	if ((p->opcode == 0x29 && p->rm == X86_SP) || (p->opcode == 0x2b && p->reg == X86_SP))
		return X86_ALIGN_SP;
	if ((p->opcode != 0x81 && p->opcode != 0x83) || p->rm != X86_SP)
		return X86_UNKNOWN;
	switch (p->reg) {
	case ADD:
		*ret_value = p->immediate;
		return X86_ADD_SP;
	case SUB:
		*ret_value = -p->immediate;
		return X86_ADD_SP;
	case AND:
		return p->immediate < 0 ? X86_ALIGN_SP : X86_UNKNOWN;
	default:
		return X86_UNKNOWN;
	}
}

/* Of those that set rsp or lead to rbp. X86_PLAIN: neither. */
static enum x86_effect effect_on_sp(const struct x86_parts *p, struct x86_code *code)
{
	enum x86_effect effect = arithmetic_on_sp(p, &code->value);

	if (effect != X86_UNKNOWN)
		return effect;
	if (is_mov_sp_fp(p, X86_FP, X86_SP))
		return X86_FP_FROM_SP;
	if (is_mov_sp_fp(p, X86_SP, X86_FP))
		return X86_SP_FROM_FP;
	code->value = p->displacement;
	if (is_lea(p, X86_SP, X86_SP))
		return X86_ADD_SP;
	if (is_lea(p, X86_FP, X86_SP))
		return X86_FP_FROM_SP;
	if (is_lea(p, X86_SP, X86_FP))
		return X86_SP_FROM_FP;
	return code->written >> X86_SP & 1 ? X86_UNKNOWN : X86_PLAIN;
}

static enum x86_effect effect_of_group_ff(const struct x86_parts *p, struct x86_code *code)
{
	enum { CALL = 2, JUMP = 4, PUSH = 6 };

	code->reg = X86_NO_REGISTER;
	switch (p->reg & 7) {
	case CALL:
		return X86_CALL;
	case JUMP:
		return X86_JUMP_AWAY;
	case PUSH:
		return p->short_operand ? X86_UNKNOWN : X86_PUSH;
	default:
		return (p->reg & 7) < 2 ? effect_on_sp(p, code) : X86_UNKNOWN;
	}
}

static enum x86_effect push_or_pop(const struct x86_parts *p, struct x86_code *code)
{
	code->reg = (p->opcode & 7) | p->b;
	if (p->short_operand)
		return X86_UNKNOWN;
	if (p->opcode < 0x58)
		return X86_PUSH;
	code->written = (uint16_t)(1U << code->reg);
	return code->reg == X86_SP ? X86_UNKNOWN : X86_POP;
}

static enum x86_effect branch(const struct x86_parts *p, struct x86_code *code)
{
	code->target = (int64_t)p->at + p->immediate;
	if (p->map == X86_MAP_ONE && (p->opcode & 0xf0) == 0xe0)
		return X86_BRANCH; /* loop, jrcxz */
	code->condition = (p->opcode & 0xf) == 4   ? X86_ZERO
			  : (p->opcode & 0xf) == 5 ? X86_NOT_ZERO
						   : X86_ANY;
	return X86_BRANCH;
}

static enum x86_effect effect_of_0f(const struct x86_parts *p, struct x86_code *code)
{
	enum { SYSCALL = 0x05, UD2 = 0x0b, NOP = 0x1f, UD1 = 0xb9 };

	if ((p->opcode & 0xf0) == 0x80)
		return branch(p, code);
	switch (p->opcode) {
	case SYSCALL:
		return X86_SYSCALL;
	case UD2:
	case UD1:
		return X86_STOP;
	case NOP:
		code->padding = true;
		return X86_PLAIN;
	default:
		return effect_on_sp(p, code);
	}
}

static enum x86_effect effect_of_one(const struct x86_parts *p, struct x86_code *code)
{
	code->reg = X86_NO_REGISTER;
	if (p->opcode >= 0x50 && p->opcode < 0x60)
		return push_or_pop(p, code);
	if ((p->opcode >= 0x70 && p->opcode < 0x80) || (p->opcode >= 0xe0 && p->opcode < 0xe4))
		return branch(p, code);
	switch (p->opcode) {
	case 0x68: /* of a number */
	case 0x6a:
	case 0x9c: /* of the flags */
		return p->short_operand ? X86_UNKNOWN : X86_PUSH;
	case 0x8f:
	case 0x9d:
		return p->short_operand || (p->modrm && p->mod == 3) ? X86_UNKNOWN : X86_POP;
	case 0x90: /* xchg of rax with itself, but for REX.B */
		code->padding = !p->b;
		return X86_PLAIN;
	case 0xb0:
	case 0xb8:
		code->sets_ax = !p->b;
		code->value = p->immediate;
		return X86_PLAIN;
	case 0xc2:
	case 0xc3:
		return X86_RETURN;
	case 0xc8: /* enter, returns to other segments */
	case 0xca:
	case 0xcb:
	case 0xcf:
		return X86_UNKNOWN;
	case 0xc9:
		return X86_LEAVE;
	case 0xcc:
	case 0xf4:
		code->padding = p->opcode == 0xcc;
		return X86_STOP;
	case 0xe8:
		return X86_CALL;
	case 0xe9:
	case 0xeb:
		code->target = (int64_t)p->at + p->immediate;
		return X86_JUMP;
	case 0xff:
		return effect_of_group_ff(p, code);
	default:
		return effect_on_sp(p, code);
	}
}

static enum x86_effect effect_of(const struct x86_parts *p, struct x86_code *code)
{
	code->written = x86_registers_set(p);
	code->tests_ax = p->map == X86_MAP_ONE && p->opcode == 0x85 && p->mod == 3 &&
			 p->reg == X86_AX && p->rm == X86_AX;
	if (p->vector)
		return code->written >> X86_SP & 1 ? X86_UNKNOWN : X86_PLAIN;
	if (p->map == X86_MAP_ONE)
		return effect_of_one(p, code);
	if (p->map == X86_MAP_0F)
		return effect_of_0f(p, code);
	return effect_on_sp(p, code);
}

struct x86_code x86_code_read(const uint8_t *bytes, size_t size)
{
	struct x86_code code = { .effect = X86_UNKNOWN, .reg = X86_NO_REGISTER };
	struct x86_parts p;

	if (!x86_take_apart(bytes, size, &p))
		return code;
	code.size = (uint8_t)p.at;
	code.effect = effect_of(&p, &code);
	code.written &= (uint16_t) ~(1U << X86_SP);
	return code;
}
