/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/frame_program.h"

/* Instructions in the two high bits; the other bits are an operand. */
enum {
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_HIGH = 0xc0,
};

/* DWARF 5 section 7.24; GNU and Arm instructions: manuals of binutils and of Arm's ABI. */
enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_MIPS_ADVANCE_LOC8 = 0x1d,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_NEGATE_RA_STATE = 0x2d, /* arm64; elsewhere window_save */
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

enum {
	MAX_REMEMBERED = 64,
	/* A CIE's program runs once per description; compilers write a handful of bytes. */
	MAX_CIE_PROGRAM = 512,
};

struct run {
	const struct frame_sections *sections;
	const struct frame_fde *fde;
	const struct frame_machine *machine;
	struct reader *reader;
	uint64_t location, end;
	struct frame_rules rules;
	struct frame_rules initial; /* after the CIE's program */
	struct frame_rules remembered[MAX_REMEMBERED];
	unsigned remembered_count;
	frame_program_row row;
	void *context;
	bool in_cie;
	bool bad;
};

static void set_saved(struct run *run, uint64_t reg, struct frame_saved saved)
{
	if (reg == run->machine->ra)
		run->rules.ra = saved;
	else if (reg == run->machine->fp)
		run->rules.fp = saved;
	else if (reg == run->machine->bx)
		run->rules.bx = saved;
}

static void restore(struct run *run, uint64_t reg)
{
	if (reg == run->machine->ra)
		run->rules.ra = run->initial.ra;
	else if (reg == run->machine->fp)
		run->rules.fp = run->initial.fp;
	else if (reg == run->machine->bx)
		run->rules.bx = run->initial.bx;
}

/* The product may wrap; an offset that does not fit into a row is rejected later. */
static int64_t factored(const struct run *run, uint64_t offset)
{
	return (int64_t)(offset * (uint64_t)run->fde->cie.data_alignment);
}

static void save_at(struct run *run, uint64_t reg, int64_t offset)
{
	set_saved(run, reg, (struct frame_saved){ .how = FRAME_SAVED_CFA, .offset = offset });
}

/* Ends a row: it was in force since the last advance. */
static void advance_to(struct run *run, uint64_t location)
{
	if (run->in_cie || location < run->location) {
		run->bad = true;
		return;
	}
	if (location == run->location)
		return;
	run->row(run->context, run->location, &run->rules);
	run->location = location;
}

static void advance(struct run *run, uint64_t delta)
{
	advance_to(run, run->location + delta * run->fde->cie.code_alignment);
}

static void define_cfa(struct run *run, uint64_t reg, int64_t offset)
{
	run->rules.cfa = (struct frame_cfa){
		.how = FRAME_CFA_REGISTER, .reg = reg, .offset = offset, .plain_offset = offset
	};
}

/* After a CFA expression, a new register uses the offset from before the expression, and a new
 * offset waits for a register. Runtime unwinders do this, and hand-written code relies on it. */
static void change_offset(struct run *run, int64_t offset)
{
	struct frame_cfa *cfa = &run->rules.cfa;

	cfa->plain_offset = offset;
	if (cfa->how == FRAME_CFA_REGISTER)
		cfa->offset = offset;
}

static void change_register(struct run *run, uint64_t reg)
{
	define_cfa(run, reg, run->rules.cfa.plain_offset);
}

static struct reader expression(struct run *run)
{
	uint64_t size = reader_uleb(run->reader);

	return reader_sub(run->reader, size);
}

static void define_by_expression(struct run *run)
{
	int64_t plain_offset = run->rules.cfa.plain_offset;

	run->rules.cfa = frame_rules_cfa_expression(run->machine, expression(run));
	run->rules.cfa.plain_offset = plain_offset;
}

static void remember(struct run *run)
{
	if (run->remembered_count == MAX_REMEMBERED)
		run->bad = true;
	else
		run->remembered[run->remembered_count++] = run->rules;
}

static void recall(struct run *run)
{
	if (run->remembered_count == 0)
		run->bad = true;
	else
		run->rules = run->remembered[--run->remembered_count];
}

static void run_advance(struct run *run, uint8_t op)
{
	struct reader *reader = run->reader;

	switch (op) {
	case CFA_SET_LOC:
		advance_to(run, frame_sections_address(run->sections, &run->fde->cie, reader));
		break;
	case CFA_ADVANCE_LOC1:
		advance(run, reader_u8(reader));
		break;
	case CFA_ADVANCE_LOC2:
		advance(run, reader_u16(reader));
		break;
	case CFA_ADVANCE_LOC4:
		advance(run, reader_u32(reader));
		break;
	default:
		advance(run, reader_u64(reader));
	}
}

static void run_cfa(struct run *run, uint8_t op)
{
	struct reader *reader = run->reader;
	uint64_t reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = reader_uleb(reader);
		define_cfa(run, reg, (int64_t)reader_uleb(reader));
		break;
	case CFA_DEF_CFA_SF:
		reg = reader_uleb(reader);
		define_cfa(run, reg, factored(run, (uint64_t)reader_sleb(reader)));
		break;
	case CFA_DEF_CFA_REGISTER:
		change_register(run, reader_uleb(reader));
		break;
	case CFA_DEF_CFA_OFFSET:
		change_offset(run, (int64_t)reader_uleb(reader));
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		change_offset(run, factored(run, (uint64_t)reader_sleb(reader)));
		break;
	default:
		define_by_expression(run);
	}
}

/* Instructions whose first operand is a saved register. */
static void run_saved(struct run *run, uint8_t op)
{
	struct reader *reader = run->reader;
	uint64_t reg = reader_uleb(reader);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		save_at(run, reg, factored(run, reader_uleb(reader)));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		save_at(run, reg, factored(run, (uint64_t)reader_sleb(reader)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		save_at(run, reg, factored(run, -reader_uleb(reader)));
		break;
	case CFA_RESTORE_EXTENDED:
		restore(run, reg);
		break;
	case CFA_UNDEFINED:
		set_saved(run, reg, (struct frame_saved){ .how = FRAME_SAVED_UNDEFINED });
		break;
	case CFA_SAME_VALUE:
		set_saved(run, reg, (struct frame_saved){ .how = FRAME_SAVED_SAME });
		break;
	case CFA_REGISTER:
		set_saved(run, reg,
			  (struct frame_saved){ .how = FRAME_SAVED_REGISTER,
						.reg = reader_uleb(reader) });
		break;
	default:
		set_saved(run, reg, frame_rules_saved_expression(expression(run)));
	}
}

/* Instructions for values that no row can express. */
static void run_unknown(struct run *run, uint8_t op)
{
	uint64_t reg = reader_uleb(run->reader);

	set_saved(run, reg, (struct frame_saved){ .how = FRAME_SAVED_UNKNOWN });
	if (op == CFA_VAL_EXPRESSION)
		expression(run);
	else
		reader_uleb(run->reader); /* a signed operand has the same length */
}

static void run_extended(struct run *run, uint8_t op)
{
	switch (op) {
	case CFA_NOP:
	case CFA_NEGATE_RA_STATE:
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		break;
	case CFA_GNU_ARGS_SIZE:
		reader_uleb(run->reader);
		break;
	case CFA_SET_LOC ... CFA_ADVANCE_LOC4:
	case CFA_MIPS_ADVANCE_LOC8:
		run_advance(run, op);
		break;
	case CFA_DEF_CFA ... CFA_DEF_CFA_EXPRESSION:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_CFA_OFFSET_SF:
		run_cfa(run, op);
		break;
	case CFA_OFFSET_EXTENDED ... CFA_REGISTER:
	case CFA_EXPRESSION:
	case CFA_OFFSET_EXTENDED_SF:
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		run_saved(run, op);
		break;
	case CFA_VAL_OFFSET ... CFA_VAL_EXPRESSION:
		run_unknown(run, op);
		break;
	case CFA_REMEMBER_STATE:
		remember(run);
		break;
	case CFA_RESTORE_STATE:
		recall(run);
		break;
	default:
		run->bad = true;
	}
}

static void run_program(struct run *run, struct reader reader)
{
	run->reader = &reader;
	while (reader_left(&reader) > 0 && run->location < run->end && !run->bad && !reader.bad) {
		uint8_t op = reader_u8(&reader);
		uint8_t operand = op & ~CFA_HIGH;

		switch (op & CFA_HIGH) {
		case CFA_ADVANCE_LOC:
			advance(run, operand);
			break;
		case CFA_OFFSET:
			save_at(run, operand, factored(run, reader_uleb(&reader)));
			break;
		case CFA_RESTORE:
			restore(run, operand);
			break;
		default:
			run_extended(run, op);
		}
	}
	run->bad |= reader.bad;
	run->reader = NULL;
}

bool frame_program_run(const struct frame_sections *sections, const struct frame_fde *fde,
		       const struct frame_machine *machine, uint64_t end, frame_program_row row,
		       void *context)
{
	struct run run;

	run.sections = sections;
	run.fde = fde;
	run.machine = machine;
	run.location = fde->start;
	run.end = end;
	run.rules = run.initial = (struct frame_rules){ .cfa = { .how = FRAME_CFA_UNKNOWN } };
	run.remembered_count = 0;
	run.row = row;
	run.context = context;
	run.bad = fde->cie.return_register != machine->ra ||
		  reader_left(&fde->cie.program) > MAX_CIE_PROGRAM;
	run.in_cie = true;
	run_program(&run, fde->cie.program);
	run.in_cie = false;
	run.initial = run.rules;
	run_program(&run, fde->program);
	if (run.bad)
		run.rules = (struct frame_rules){ .cfa = { .how = FRAME_CFA_UNKNOWN } };
	if (run.location < end)
		row(context, run.location, &run.rules);
	return !run.bad;
}
