/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where control goes after an instruction, derived from its text (code/disassembler.h). */
#ifndef CODE_CODE_FLOW_H
#define CODE_CODE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

enum code_flow_kind {
	CODE_FLOW_NEXT,	    /* to the next one; also calls */
	CODE_FLOW_BRANCH,   /* to the target or to the next one */
	CODE_FLOW_JUMP,	    /* to the target */
	CODE_FLOW_COMPUTED, /* to an address in a register or in memory */
	CODE_FLOW_RETURN,
	CODE_FLOW_STOP, /* nowhere: ud2, hlt, brk ... */
	CODE_FLOW_DATA, /* not an instruction */
};

struct code_flow {
	enum code_flow_kind kind;
	uint64_t target; /* of BRANCH and JUMP, as printed in operands */
	bool table;	 /* COMPUTED: through a scaled operand, as in jump tables */
};

/* For x86 and arm64. */
struct code_flow code_flow_of(const char *text);
/* The target of a branch. False: not a branch, or its target is in a register. Calls are not
 * branches. */
bool code_flow_target(const char *text, uint64_t *ret_target);

#endif
