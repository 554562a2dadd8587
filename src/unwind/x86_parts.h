/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An x86-64 instruction taken apart: prefixes, opcode, operands; and which general registers it
 * sets. Encodings: Intel 64 Software Developer's Manual, volume 2, chapter 2 and appendix A.
 */
#ifndef UNWIND_X86_PARTS_H
#define UNWIND_X86_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers as instructions have them, not DWARF's. */
enum {
	X86_AX = 0,
	X86_BX = 3,
	X86_SP = 4,
	X86_FP = 5,
	X86_NO_REGISTER = 16,
};

enum { X86_LONGEST = 15 }; /* bytes of an instruction */

enum x86_map { X86_MAP_ONE, X86_MAP_0F, X86_MAP_0F38, X86_MAP_0F3A, X86_MAP_COUNT };

/* An instruction taken apart. */
struct x86_parts {
	const uint8_t *bytes;
	size_t size, at;
	bool short_operand, short_address; /* prefixes 0x66, 0x67 */
	bool rex, vector;		   /* VEX or EVEX: operands are mostly vectors */
	uint8_t w, r, x, b;		   /* of REX, VEX and EVEX; r, x and b shifted to bit 3 */
	uint8_t vvvv;
	enum x86_map map;
	uint8_t opcode;
	char form; /* of the tables */
	bool modrm;
	uint8_t mod, reg, rm; /* reg and rm with their upper bit */
	uint8_t base, index;  /* of what is in memory; X86_NO_REGISTER: none */
	int64_t displacement, immediate;
};

/* The instruction at @bytes, of which @size may be read. False: there are not enough, or it is
 * none. */
bool x86_take_apart(const uint8_t *bytes, size_t size, struct x86_parts *ret_parts);
/* Bit n: the register n may have another value afterwards; not those that rax and rdx get without
 * being named, nor what push and pop do. */
uint16_t x86_registers_set(const struct x86_parts *p);

#endif
