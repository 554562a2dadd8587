/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where control goes behind an instruction, told from its text (code/disassembler.h). */
#ifndef CODE_CODE_FLOW_H
#define CODE_CODE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

enum code_flow_kind {
	CODE_FLOW_NEXT,	    /* to the next one; calls too */
	CODE_FLOW_BRANCH,   /* there or to the next one */
	CODE_FLOW_JUMP,	    /* there */
	CODE_FLOW_COMPUTED, /* wherever a register or memory says */
	CODE_FLOW_RETURN,
	CODE_FLOW_STOP, /* nowhere: ud2, hlt, brk ... */
	CODE_FLOW_DATA, /* no instruction */
};

struct code_flow {
	enum code_flow_kind kind;
	uint64_t target; /* of BRANCH and JUMP, as operands have it */
	bool table;	 /* COMPUTED: through a scaled operand, as tables of jumps have it */
};

/* Of x86 and arm64. */
struct code_flow code_flow_of(const char *text);

#endif
