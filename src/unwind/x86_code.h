/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one x86-64 instruction does to the stack and to the registers a walk follows: enough to tell
 * where a function's caller is from its code alone. Encodings: Intel 64 Software Developer's
 * Manual, volume 2, chapter 2 and appendix A.
 */
#ifndef UNWIND_X86_CODE_H
#define UNWIND_X86_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/x86_parts.h"

enum x86_effect {
	X86_UNKNOWN,	/* not an instruction, or it sets rsp in a way nobody follows */
	X86_PLAIN,	/* rsp stays as it is */
	X86_PUSH,	/* reg, or X86_NO_REGISTER */
	X86_POP,	/* reg, or X86_NO_REGISTER */
	X86_ADD_SP,	/* rsp += value */
	X86_ALIGN_SP,	/* rsp becomes smaller, nobody knows by how much */
	X86_FP_FROM_SP, /* rbp = rsp + value */
	X86_SP_FROM_FP, /* rsp = rbp + value */
	X86_LEAVE,	/* rsp = rbp, then pop rbp */
	X86_CALL,	/* and goes on behind */
	X86_BRANCH,	/* to target, or goes on; zero: if what was tested is zero */
	X86_JUMP,	/* to target */
	X86_JUMP_AWAY,	/* to nobody knows where */
	X86_RETURN,
	X86_SYSCALL,
	X86_STOP, /* does not go on: hlt, int3, ud2 */
};

/* When a branch is taken. */
enum x86_condition { X86_ANY, X86_ZERO, X86_NOT_ZERO };

struct x86_code {
	enum x86_effect effect;
	uint8_t size;	   /* bytes; 0: X86_UNKNOWN because there are not enough */
	uint8_t reg;	   /* of X86_PUSH, X86_POP */
	uint8_t condition; /* enum x86_condition, of X86_BRANCH */
	bool padding;	   /* does nothing at all: what lies between functions */
	bool tests_ax;	   /* test %eax,%eax or %rax,%rax */
	bool sets_ax;	   /* to value: mov of a number to %al, %eax or %rax */
	uint16_t written;  /* bit n: the register n may have another value; rsp excepted */
	int64_t value;
	int64_t target; /* of X86_BRANCH and X86_JUMP, from the instruction's first byte */
};

/* The instruction at @bytes, of which @size may be read. */
struct x86_code x86_code_read(const uint8_t *bytes, size_t size);

#endif
