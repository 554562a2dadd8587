/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to find a frame's caller, as the program of a frame description says it: the few columns of
 * DWARF's table that unwinding needs (CFA, return address, frame pointer), before they become an
 * unwind_rule.
 */
#ifndef UNWIND_FRAME_RULES_H
#define UNWIND_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reader.h"
#include "bpf/unwind_rows.h"

/* DWARF register numbers of a machine. */
struct frame_machine {
	uint16_t machine; /* EM_ */
	uint16_t sp, fp, ra;
	uint16_t bx;	     /* x86-64: rbx; otherwise FRAME_NO_REGISTER */
	bool ra_is_register; /* the return address may still be where the call put it: arm64's lr */
};

enum { FRAME_NO_REGISTER = 0xffff };

/* NULL: unsupported machine. */
const struct frame_machine *frame_rules_machine(uint16_t machine);

enum frame_cfa_how {
	FRAME_CFA_UNKNOWN,  /* no rule, or an unsupported one */
	FRAME_CFA_REGISTER, /* reg + offset */
	FRAME_CFA_DEREF,    /* *(reg + offset) + add */
	FRAME_CFA_PLT,	    /* PLT; offset: of the first instruction after the push, in 16 bytes */
};

struct frame_cfa {
	enum frame_cfa_how how;
	uint64_t reg;
	int64_t offset;
	int64_t add;
	int64_t plain_offset; /* of the last register plus offset; outlives an expression */
};

enum frame_saved_how {
	FRAME_SAVED_UNSAID,
	FRAME_SAVED_SAME,
	FRAME_SAVED_UNDEFINED,
	FRAME_SAVED_CFA,      /* *(CFA + offset) */
	FRAME_SAVED_MEMORY,   /* *(reg + offset) */
	FRAME_SAVED_REGISTER, /* in reg */
	FRAME_SAVED_UNKNOWN,  /* unsupported */
};

struct frame_saved {
	enum frame_saved_how how;
	uint64_t reg;
	int64_t offset;
};

struct frame_rules {
	struct frame_cfa cfa;
	struct frame_saved ra, fp, bx;
};

/* DW_CFA_def_cfa_expression, in the forms that compilers, linkers and hand-written code use;
 * otherwise FRAME_CFA_UNKNOWN. */
struct frame_cfa frame_rules_cfa_expression(const struct frame_machine *machine,
					    struct reader expression);
/* DW_CFA_expression: where a register was saved. */
struct frame_saved frame_rules_saved_expression(struct reader expression);

/* The rule of a row, with UNWIND_RULE_ flags; all zeroes (UNWIND_CFA_NONE) if it cannot be
 * expressed. */
struct unwind_rule frame_rules_pack(const struct frame_rules *rules,
				    const struct frame_machine *machine, uint8_t flags);

#endif
