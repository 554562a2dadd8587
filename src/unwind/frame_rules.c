/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/frame_rules.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

/* DWARF 5 section 7.7.1; only the operations that occur in practice. */
enum {
	OP_DEREF = 0x06,
	OP_PLUS_UCONST = 0x23,
	OP_AND = 0x1a,
	OP_PLUS = 0x22,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
};

/* x86-64 psABI figure 3.36; DWARF for the Arm 64-bit Architecture, section 4.1. */
static const struct frame_machine machines[] = {
	{ .machine = EM_X86_64, .sp = 7, .fp = 6, .ra = 16, .bx = 3 },
	{ .machine = EM_AARCH64,
	  .sp = 31,
	  .fp = 29,
	  .ra = 30,
	  .bx = FRAME_NO_REGISTER,
	  .ra_is_register = true },
};

const struct frame_machine *frame_rules_machine(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (machines[i].machine == machine)
			return &machines[i];
	}
	return NULL;
}

/* Reads a register plus a constant; nearly all expressions begin with this. */
static bool read_base(struct reader *reader, uint64_t *ret_reg, int64_t *ret_offset)
{
	uint8_t op = reader_u8(reader);

	if (op >= OP_BREG0 && op <= OP_BREG31)
		*ret_reg = op - OP_BREG0;
	else if (op == OP_BREGX)
		*ret_reg = reader_uleb(reader);
	else
		return false;
	*ret_offset = reader_sleb(reader);
	return !reader->bad;
}

/* The lazy PLT of linkers: sp + 8 + ((pc & 15) >= N) << 3 with a literal N, from after sp + 8. */
static bool read_plt(const struct frame_machine *machine, struct reader reader, int64_t *ret_offset)
{
	static const uint8_t after[] = { OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS };
	uint64_t reg;
	int64_t offset;
	uint8_t literal;
	const void *rest;

	if (machine->machine != EM_X86_64 || !read_base(&reader, &reg, &offset) ||
	    reg != machine->ra || offset != 0 || reader_u8(&reader) != OP_LIT0 + 15 ||
	    reader_u8(&reader) != OP_AND)
		return false;
	literal = reader_u8(&reader);
	rest = reader_bytes(&reader, sizeof(after));
	if (!rest || memcmp(rest, after, sizeof(after)) != 0 || reader_left(&reader) > 0 ||
	    literal < OP_LIT0 || literal > OP_LIT0 + 15)
		return false;
	*ret_offset = literal - OP_LIT0;
	return true;
}

/* Reads what is added to the loaded value: nothing, or one constant. */
static bool read_add(struct reader *reader, int64_t *ret_add)
{
	uint8_t op;

	*ret_add = 0;
	if (reader_left(reader) == 0)
		return true;
	op = reader_u8(reader);
	if (op == OP_PLUS_UCONST) {
		*ret_add = (int64_t)reader_uleb(reader);
	} else if (op >= OP_LIT0 && op <= OP_LIT31) {
		*ret_add = op - OP_LIT0;
		if (reader_u8(reader) != OP_PLUS)
			return false;
	} else {
		return false;
	}
	return !reader->bad && reader_left(reader) == 0;
}

struct frame_cfa frame_rules_cfa_expression(const struct frame_machine *machine,
					    struct reader expression)
{
	const struct frame_cfa unknown = { .how = FRAME_CFA_UNKNOWN };
	struct frame_cfa cfa = { .how = FRAME_CFA_REGISTER };

	if (!read_base(&expression, &cfa.reg, &cfa.offset))
		return unknown;
	if (reader_left(&expression) == 0)
		return cfa;
	if (cfa.reg == machine->sp && cfa.offset == 8 &&
	    read_plt(machine, expression, &cfa.offset)) {
		cfa.how = FRAME_CFA_PLT;
		return cfa;
	}
	cfa.how = FRAME_CFA_DEREF;
	if (reader_u8(&expression) != OP_DEREF || !read_add(&expression, &cfa.add))
		return unknown;
	return cfa;
}

/* The expression starts with the CFA on the stack. */
struct frame_saved frame_rules_saved_expression(struct reader expression)
{
	struct frame_saved saved = { .how = FRAME_SAVED_MEMORY };
	struct reader base = expression;

	if (read_base(&base, &saved.reg, &saved.offset) && reader_left(&base) == 0)
		return saved;
	saved = (struct frame_saved){ .how = FRAME_SAVED_CFA };
	if (read_add(&expression, &saved.offset))
		return saved;
	return (struct frame_saved){ .how = FRAME_SAVED_UNKNOWN };
}

static bool fits_s32(int64_t value)
{
	return value == (int32_t)value;
}

static bool pack_cfa(const struct frame_cfa *cfa, const struct frame_machine *machine,
		     struct unwind_rule *rule)
{
	bool deref = cfa->how == FRAME_CFA_DEREF;

	if (cfa->how == FRAME_CFA_UNKNOWN || !fits_s32(cfa->offset) || cfa->add < 0 ||
	    cfa->add > UINT16_MAX || cfa->reg > UINT16_MAX)
		return false;
	rule->cfa_offset = (int32_t)cfa->offset;
	rule->add = (uint16_t)cfa->add;
	if (cfa->how == FRAME_CFA_PLT) {
		rule->cfa = UNWIND_CFA_PLT;
	} else if (cfa->reg == machine->sp) {
		rule->cfa = deref ? UNWIND_CFA_SP_DEREF : UNWIND_CFA_SP;
	} else if (cfa->reg == machine->fp) {
		rule->cfa = deref ? UNWIND_CFA_FP_DEREF : UNWIND_CFA_FP;
	} else if (!deref) {
		rule->cfa = UNWIND_CFA_REGISTER;
		rule->reg = (uint16_t)cfa->reg;
	} else {
		return false;
	}
	return true;
}

/* False: not expressible. A register without a rule keeps its value. */
static bool pack_saved(const struct frame_saved *saved, const struct frame_machine *machine,
		       uint8_t *ret_how, int32_t *ret_offset)
{
	*ret_offset = 0;
	switch (saved->how) {
	case FRAME_SAVED_UNSAID:
	case FRAME_SAVED_SAME:
		*ret_how = UNWIND_SAVED_SAME;
		return true;
	case FRAME_SAVED_UNDEFINED:
		*ret_how = UNWIND_SAVED_UNDEFINED;
		return true;
	case FRAME_SAVED_CFA:
		*ret_how = UNWIND_SAVED_CFA;
		break;
	case FRAME_SAVED_MEMORY:
		if (saved->reg != machine->sp && saved->reg != machine->fp)
			return false;
		*ret_how = saved->reg == machine->sp ? UNWIND_SAVED_SP : UNWIND_SAVED_FP;
		break;
	default:
		return false;
	}
	*ret_offset = (int32_t)saved->offset;
	return fits_s32(saved->offset);
}

/* Only an rbx saved near the CFA can be expressed, as compilers save it. */
static int16_t pack_bx(const struct frame_saved *saved)
{
	if (saved->how == FRAME_SAVED_UNSAID || saved->how == FRAME_SAVED_SAME)
		return 0;
	if (saved->how != FRAME_SAVED_CFA || saved->offset != (int16_t)saved->offset ||
	    saved->offset == 0)
		return UNWIND_BX_LOST;
	return (int16_t)saved->offset;
}

/* Packs the place of the return address. A register can hold it only in the innermost frame. */
static bool pack_ra(const struct frame_saved *ra, const struct frame_machine *machine,
		    struct unwind_rule *rule)
{
	if (ra->how != FRAME_SAVED_REGISTER)
		return pack_saved(ra, machine, &rule->ra, &rule->ra_offset) &&
		       (rule->ra != UNWIND_SAVED_SAME || machine->ra_is_register);
	if (rule->cfa == UNWIND_CFA_REGISTER || ra->reg > UINT16_MAX)
		return false;
	rule->ra = UNWIND_SAVED_REGISTER;
	rule->reg = (uint16_t)ra->reg;
	return true;
}

/* No return address means no caller: the CFA does not matter, and rows can merge. */
static struct unwind_rule outermost(uint8_t flags)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP,
				     .ra = UNWIND_SAVED_UNDEFINED,
				     .fp = UNWIND_SAVED_UNDEFINED,
				     .flags = flags };
}

struct unwind_rule frame_rules_pack(const struct frame_rules *rules,
				    const struct frame_machine *machine, uint8_t flags)
{
	const struct unwind_rule none = { .cfa = UNWIND_CFA_NONE };
	struct unwind_rule rule = { .flags = flags };
	bool found;

	if (rules->ra.how == FRAME_SAVED_UNDEFINED)
		return outermost(flags);
	if (!pack_cfa(&rules->cfa, machine, &rule) || !pack_ra(&rules->ra, machine, &rule))
		return none;
	found = pack_saved(&rules->fp, machine, &rule.fp, &rule.fp_offset);
	if (!found) {
		rule.fp = UNWIND_SAVED_UNDEFINED;
		rule.fp_offset = 0;
	}
	rule.bx_offset = pack_bx(&rules->bx);
	return rule;
}
