/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Decodes x86-64 instructions as far as unwinding needs it: their length, where control goes, and
 * what they do to the stack pointer (rsp) and the frame pointer (rbp). For the kernel's program and
 * for user space. Opcodes: Intel 64 Software Developer's Manual, volume 2, appendix A.
 */
#ifndef BPF_X86_CODE_H
#define BPF_X86_CODE_H

#include <linux/types.h>

#define X86_INLINE static inline __attribute__((always_inline))

/* The kernel's verifier follows all ways through the code with the values that they give to registers.
 * It knows no values in memory: where all are stored, the ways are one again. */
#ifdef __bpf__
#define X86_STORE_ALL() asm volatile("" ::: "memory")
#else
#define X86_STORE_ALL() ((void)0)
#endif

enum {
	X86_CODE_BYTES = 16, /* what is read for one instruction; the longest has 15 */
	X86_SP = 4,	     /* register numbers in instructions, not DWARF's */
	X86_FP = 5,
};

enum x86_kind {
	X86_INVALID,	   /* not an instruction, or one that is not decoded */
	X86_OTHER,	   /* changes neither register, and control goes on */
	X86_PUSH,	   /* 8 bytes */
	X86_PUSH_FP,	   /* rbp */
	X86_POP,	   /* 8 bytes */
	X86_POP_FP,	   /* rbp */
	X86_ADD_SP,	   /* rsp += value */
	X86_SET_FP,	   /* rbp = rsp + value */
	X86_SET_SP,	   /* rsp = rbp + value */
	X86_LEAVE,	   /* rsp = rbp, pop rbp */
	X86_STORE_FP,	   /* *(rsp + value) = rbp */
	X86_LOAD_FP,	   /* rbp = *(rsp + value) */
	X86_LOSE_SP,	   /* rsp = an unknown value */
	X86_LOSE_FP,	   /* rbp = an unknown value */
	X86_LOSE_BOTH,	   /* both */
	X86_CALL,	   /* of the instruction's end + value */
	X86_CALL_INDIRECT, /* of an address in a register or in memory */
	X86_BRANCH,	   /* to the instruction's end + value, or to the next one */
	X86_JUMP,	   /* to the instruction's end + value */
	X86_JUMP_REGISTER, /* to an address in a register, or in a table */
	X86_JUMP_SLOT,	   /* to an address at a fixed place: PLTs, tail calls */
	X86_RETURN,
	X86_STOP, /* control does not go on here: ud2, hlt, int3 */
};

struct x86_code {
	__u8 bytes[X86_CODE_BYTES]; /* the caller sets these, x86_decode the rest */
	__u8 at;		    /* of the next byte to decode */
	__u8 prefixes;		    /* X86_PREFIX_ */
	__u8 rex;		    /* REX, or the bits of it that a VEX or EVEX prefix has */
	__u8 map, op, modrm, sib;
	__u8 attributes; /* X86_HAS_ and X86_WRITES_ */
	__u8 vector_register;
	__u8 length;	 /* in bytes */
	__u8 kind;	 /* enum x86_kind */
	__u8 uses_frame; /* has an operand at rbp + displacement */
	__s32 value;	 /* of the kinds that have one */
	__s32 displacement;
};

enum {
	X86_PREFIX_16 = 1,
	X86_PREFIX_F2 = 2,
	X86_PREFIX_F3 = 4,
	X86_PREFIX_VECTOR = 8,
	X86_PREFIX_67 = 16
};
enum { X86_REX_B = 1, X86_REX_X = 2, X86_REX_R = 4, X86_REX_W = 8, X86_REX = 0x40 };

/* Attributes of opcodes. */
enum {
	X86_HAS_MODRM = 1,
	X86_WRITES_REG = 2,    /* the register in ModRM.reg */
	X86_WRITES_RM = 4,     /* the register in ModRM.rm, if it is one */
	X86_WRITES_OPCODE = 8, /* the register in the opcode */
	X86_BYTE = 16,	       /* operands of a byte: 4 to 7 are ah to bh if there is no REX */
	X86_HAS_BYTE = 32,     /* an immediate operand of one byte */
	X86_HAS_WORD = 64,     /* of four, or two with a 16-bit prefix */
	X86_UNKNOWN = 128,
};

#define M   X86_HAS_MODRM
#define R   (X86_HAS_MODRM | X86_WRITES_REG)
#define E   (X86_HAS_MODRM | X86_WRITES_RM)
#define O   X86_WRITES_OPCODE
#define B   X86_BYTE
#define I8  X86_HAS_BYTE
#define IZ  X86_HAS_WORD
#define BAD X86_UNKNOWN

/* Eight opcodes of an arithmetic operation. */
#define ALU(first)                                                                    \
	[first] = E | B, [(first) + 1] = E, [(first) + 2] = R | B, [(first) + 3] = R, \
	[(first) + 4] = I8, [(first) + 5] = IZ, [(first) + 6] = BAD, [(first) + 7] = BAD

static const __u8 x86_one_byte[256] = {
	ALU(0x00),
	ALU(0x08),
	ALU(0x10),
	ALU(0x18),
	ALU(0x20),
	ALU(0x28),
	ALU(0x30),
	[0x38 ... 0x3b] = M,
	[0x3c] = I8,
	[0x3d] = IZ,
	[0x3e ... 0x3f] = BAD,
	[0x60 ... 0x62] = BAD,
	[0x63] = R,
	[0x68] = IZ,
	[0x69] = R | IZ,
	[0x6a] = I8,
	[0x6b] = R | I8,
	[0x70 ... 0x7f] = I8,
	[0x80] = E | B | I8,
	[0x81] = E | IZ,
	[0x82] = BAD,
	[0x83] = E | I8,
	[0x84 ... 0x85] = M,
	[0x86] = E | R | B,
	[0x87] = E | R,
	[0x88] = E | B,
	[0x89] = E,
	[0x8a] = R | B,
	[0x8b] = R,
	[0x8c] = E,
	[0x8d] = R,
	[0x8e] = M,
	[0x8f] = E,
	[0x91 ... 0x97] = O,
	[0x9a] = BAD,
	[0xa8] = I8,
	[0xa9] = IZ,
	[0xb0 ... 0xb7] = O | B | I8,
	[0xb8 ... 0xbf] = O | IZ,
	[0xc0] = E | B | I8,
	[0xc1] = E | I8,
	[0xc4 ... 0xc5] = BAD,
	[0xc6] = E | B | I8,
	[0xc7] = E | IZ,
	[0xc8] = BAD,
	[0xca ... 0xcb] = BAD,
	[0xcd] = I8,
	[0xce] = BAD,
	[0xd0] = E | B,
	[0xd1] = E,
	[0xd2] = E | B,
	[0xd3] = E,
	[0xd4 ... 0xd6] = BAD,
	[0xd8 ... 0xdf] = M,
	[0xe0 ... 0xe7] = I8,
	[0xea] = BAD,
	[0xeb] = I8,
	[0xf0] = BAD,
	[0xf2 ... 0xf3] = BAD,
	[0xf6] = E | B,
	[0xf7] = E,
	[0xfe] = E | B,
	[0xff] = E,
};

/* After 0f. Vector registers are not ours. */
static const __u8 x86_two_bytes[256] = {
	[0x00 ... 0x01] = M,
	[0x02 ... 0x03] = R,
	[0x04] = BAD,
	[0x0a] = BAD,
	[0x0c] = BAD,
	[0x0d] = M,
	[0x0f] = BAD,
	[0x10 ... 0x1d] = M,
	[0x1e] = M,
	[0x1f] = M,
	[0x20 ... 0x23] = BAD,
	[0x24 ... 0x27] = BAD,
	[0x28 ... 0x2b] = M,
	[0x2c ... 0x2d] = R,
	[0x2e ... 0x2f] = M,
	[0x36] = BAD,
	[0x38 ... 0x3f] = BAD,
	[0x40 ... 0x4f] = R,
	[0x50] = R,
	[0x51 ... 0x6f] = M,
	[0x70 ... 0x73] = M | I8,
	[0x74 ... 0x76] = M,
	[0x78 ... 0x7d] = M,
	[0x7e] = E,
	[0x7f] = M,
	[0x80 ... 0x8f] = IZ,
	[0x90 ... 0x9f] = E | B,
	[0xa3] = M,
	[0xa4] = E | I8,
	[0xa5] = E,
	[0xa6 ... 0xa7] = BAD,
	[0xab] = E,
	[0xac] = E | I8,
	[0xad] = E,
	[0xae] = M,
	[0xaf] = R,
	[0xb0] = E | B,
	[0xb1] = E,
	[0xb2] = R,
	[0xb3] = E,
	[0xb4 ... 0xb8] = R,
	[0xb9] = M,
	[0xba] = E | I8,
	[0xbb] = E,
	[0xbc ... 0xbf] = R,
	[0xc0] = E | R | B,
	[0xc1] = E | R,
	[0xc2] = M | I8,
	[0xc3] = M,
	[0xc4] = M | I8,
	[0xc5] = R | I8,
	[0xc6] = M | I8,
	[0xc7] = M,
	[0xc8 ... 0xcf] = O,
	[0xd0 ... 0xd6] = M,
	[0xd7] = R,
	[0xd8 ... 0xfe] = M,
	[0xff] = M,
};

#undef M
#undef R
#undef E
#undef O
#undef B
#undef I8
#undef IZ
#undef BAD
#undef ALU

X86_INLINE __u8 x86_byte(struct x86_code *code)
{
	return code->bytes[code->at++ & (X86_CODE_BYTES - 1)];
}

/* A signed constant of 1 or 4 bytes. */
X86_INLINE __s32 x86_constant(struct x86_code *code, int size)
{
	__u32 value = 0;

	if (size == 1)
		return (__s8)x86_byte(code);
	for (int i = 0; i < 4; i++)
		value |= (__u32)x86_byte(code) << 8 * i;
	return (__s32)value;
}

/* Returns the first byte that is no prefix. */
X86_INLINE __u8 x86_read_prefixes(struct x86_code *code)
{
	__u32 left = X86_CODE_BYTES;
	__u8 byte = 0;

	/* The verifier of Linux 6.1 takes a way back to the start of a loop only from a jump: nothing may
	 * stand between the last jump and the start, so the barrier comes first, and the count before. */
	for (;;) {
		X86_STORE_ALL();
		byte = x86_byte(code);
		if (byte == 0x66)
			code->prefixes |= X86_PREFIX_16;
		else if (byte == 0x67)
			code->prefixes |= X86_PREFIX_67;
		else if (byte == 0xf2)
			code->prefixes |= X86_PREFIX_F2;
		else if (byte == 0xf3)
			code->prefixes |= X86_PREFIX_F3;
		else if ((byte & 0xf0) == X86_REX)
			code->rex = byte;
		else if (byte != 0xf0 && (byte & 0xe7) != 0x26 && (byte & 0xfe) != 0x64)
			break;
		if ((byte & 0xf0) != X86_REX)
			code->rex = 0; /* it counts only before the opcode */
		left--;
		X86_STORE_ALL();
		if (!left)
			break;
	}
	return byte;
}

/* VEX (c4, c5) and EVEX (62): registers' upper bits are inverted. */
X86_INLINE void x86_read_vector_prefix(struct x86_code *code, __u8 first)
{
	__u8 bits = x86_byte(code), last = bits;

	code->prefixes |= X86_PREFIX_VECTOR;
	code->map = 1;
	if (first != 0xc5) {
		code->map = bits & (first == 0x62 ? 7 : 31);
		code->rex = (__u8)((~bits >> 5 & 7) | X86_REX);
		last = x86_byte(code);
	} else {
		code->rex = (__u8)((~bits >> 5 & X86_REX_R) | X86_REX);
	}
	code->vector_register = ~last >> 3 & 15;
	if ((last & 3) == 1)
		code->prefixes |= X86_PREFIX_16;
	else if ((last & 3) == 2)
		code->prefixes |= X86_PREFIX_F3;
	else if ((last & 3) == 3)
		code->prefixes |= X86_PREFIX_F2;
	if (first == 0x62)
		(void)x86_byte(code);
	code->op = x86_byte(code);
}

/* Of vector instructions only these write our registers. */
X86_INLINE __u8 x86_vector_attributes(const struct x86_code *code)
{
	__u8 attributes = x86_two_bytes[code->op], op = code->op;

	if (code->map == 1) {
		int writes = op == 0x2c || op == 0x2d || op == 0x50 || op == 0x78 || op == 0x79 ||
			     op == 0x7e || op == 0x93 || op == 0xc5 || op == 0xd7;

		if (op == 0x77)
			return 0;
		if (op == 0x93)
			return X86_HAS_MODRM | X86_WRITES_REG;
		attributes &= X86_HAS_BYTE | (writes ? X86_WRITES_REG | X86_WRITES_RM : 0);
		return attributes | X86_HAS_MODRM;
	}
	attributes = X86_HAS_MODRM | (code->map == 3 ? X86_HAS_BYTE : 0);
	if (op >= 0xf0)
		attributes |= X86_WRITES_REG;
	if (code->map == 3 && op >= 0x14 && op <= 0x17)
		attributes |= X86_WRITES_RM;
	return code->map >= 1 && code->map <= 6 && code->map != 4 ? attributes : X86_UNKNOWN;
}

X86_INLINE __u8 x86_attributes(const struct x86_code *code)
{
	if (code->prefixes & X86_PREFIX_VECTOR || code->map > 1)
		return x86_vector_attributes(code);
	return code->map ? x86_two_bytes[code->op] : x86_one_byte[code->op];
}

/* Prefixes and opcode. */
X86_INLINE void x86_read_opcode(struct x86_code *code)
{
	__u8 byte = x86_read_prefixes(code);

	code->op = byte;
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		x86_read_vector_prefix(code, byte);
	} else if (byte == 0x0f) {
		code->op = x86_byte(code);
		code->map = code->op == 0x38 ? 2 : code->op == 0x3a ? 3 : 1;
		if (code->map > 1)
			code->op = x86_byte(code);
	}
	code->attributes = x86_attributes(code);
}

X86_INLINE __u8 x86_mod(const struct x86_code *code)
{
	return code->modrm >> 6;
}

/* What extends the opcode, in groups. */
X86_INLINE __u8 x86_group(const struct x86_code *code)
{
	return code->modrm >> 3 & 7;
}

X86_INLINE __u8 x86_reg(const struct x86_code *code)
{
	return x86_group(code) | (code->rex & X86_REX_R ? 8 : 0);
}

X86_INLINE __u8 x86_rm(const struct x86_code *code)
{
	return (code->modrm & 7) | (code->rex & X86_REX_B ? 8 : 0);
}

X86_INLINE void x86_read_modrm(struct x86_code *code)
{
	__u8 base;

	code->modrm = x86_byte(code);
	base = code->modrm & 7;
	if (x86_mod(code) == 3)
		return;
	if (base == 4) {
		code->sib = x86_byte(code);
		base = code->sib & 7;
	}
	if (x86_mod(code) == 1)
		code->displacement = x86_constant(code, 1);
	else if (x86_mod(code) == 2 || base == 5)
		code->displacement = x86_constant(code, 4);
	code->uses_frame = x86_mod(code) != 0 && base == X86_FP && !(code->rex & X86_REX_B);
}

/* True for an operand in memory at the register, X86_SP or X86_FP, plus the displacement. */
X86_INLINE int x86_is_at(const struct x86_code *code, __u8 base)
{
	enum { NO_INDEX = 4 << 3 | X86_SP };

	if (x86_mod(code) == 3 || code->rex & X86_REX_B)
		return 0;
	if (base == X86_SP)
		return (code->modrm & 7) == 4 && (code->sib & 63) == NO_INDEX &&
		       !(code->rex & X86_REX_X);
	return (code->modrm & 7) == X86_FP && x86_mod(code) != 0;
}

X86_INLINE void x86_read_immediate(struct x86_code *code)
{
	__u8 op = code->op;

	if (code->map == 0 && op >= 0xa0 && op <= 0xa3) {
		code->at += code->prefixes & X86_PREFIX_67 ? 4 : 8;
	} else if (code->map == 0 && op >= 0xb8 && op <= 0xbf && code->rex & X86_REX_W) {
		code->at += 8;
	} else if (code->map == 0 && (op == 0xc2 || (op == 0xf7 && x86_group(code) < 2 &&
						     code->prefixes & X86_PREFIX_16))) {
		code->at += 2;
	} else if ((code->map == 0 && (op == 0xe8 || op == 0xe9)) ||
		   (code->map == 0 && op == 0xf7 && x86_group(code) < 2) ||
		   (code->map == 1 && (op & 0xf0) == 0x80)) {
		code->value = x86_constant(code, 4);
	} else if (code->attributes & X86_HAS_BYTE ||
		   (code->map == 0 && op == 0xf6 && x86_group(code) < 2)) {
		code->value = x86_constant(code, 1);
	} else if (code->attributes & X86_HAS_WORD) {
		if (code->prefixes & X86_PREFIX_16 && !(code->rex & X86_REX_W))
			code->at += 2;
		else
			code->value = x86_constant(code, 4);
	}
}

/* True if the instruction writes this register. */
X86_INLINE int x86_writes(const struct x86_code *code, __u8 reg)
{
	__u8 attributes = code->attributes;

	if (attributes & X86_BYTE && !(code->rex & X86_REX))
		return 0;
	return (attributes & X86_WRITES_REG && x86_reg(code) == reg) ||
	       (attributes & X86_WRITES_RM && x86_mod(code) == 3 && x86_rm(code) == reg) ||
	       (attributes & X86_WRITES_OPCODE &&
		((code->op & 7) | (code->rex & X86_REX_B ? 8 : 0)) == reg);
}

/* Instructions of groups, and of extensions, that write a register or not. */
X86_INLINE void x86_except(struct x86_code *code)
{
	__u8 op = code->op, group = x86_group(code);

	if (code->map == 0 && (op == 0x80 || op == 0x81 || op == 0x83) && group == 7)
		code->attributes &= ~X86_WRITES_RM; /* cmp */
	else if (code->map == 0 && (op == 0xf6 || op == 0xf7) && group != 2 && group != 3)
		code->attributes &= ~X86_WRITES_RM; /* test, mul, div */
	else if (code->map == 1 && op == 0xba && group == 4)
		code->attributes &= ~X86_WRITES_RM; /* bt */
	else if (code->map == 1 && op == 0x7e && code->prefixes & X86_PREFIX_F3)
		code->attributes &= ~X86_WRITES_RM; /* movq to a vector register */
	else if (code->map == 1 && ((op == 0xc7 && group >= 6) || op == 0x1e ||
				    (op == 0xae && code->prefixes & X86_PREFIX_F3)))
		code->attributes |= X86_WRITES_RM; /* rdrand, rdssp, rdfsbase */
}

X86_INLINE int x86_writes_extra(const struct x86_code *code, __u8 reg)
{
	return code->map == 2 && code->prefixes & X86_PREFIX_VECTOR &&
	       (code->op == 0xf3 || code->op == 0xf6) && code->vector_register == reg;
}

X86_INLINE enum x86_kind x86_kind_by_writes(const struct x86_code *code)
{
	int sp = x86_writes(code, X86_SP) || x86_writes_extra(code, X86_SP);
	int fp = x86_writes(code, X86_FP) || x86_writes_extra(code, X86_FP);

	return sp && fp ? X86_LOSE_BOTH : sp ? X86_LOSE_SP : fp ? X86_LOSE_FP : X86_OTHER;
}

/* lea, and mov of 64 bits, between the two registers and the stack. */
X86_INLINE enum x86_kind x86_kind_of_move(struct x86_code *code)
{
	__u8 reg = x86_reg(code), rm = x86_rm(code);
	__u8 to = code->op == 0x89 ? rm : reg, from = code->op == 0x89 ? reg : rm;

	code->value = code->displacement;
	if (x86_mod(code) == 3 && code->op != 0x8d) {
		if (to == X86_FP && from == X86_SP)
			return X86_SET_FP;
		return to == X86_SP && from == X86_FP ? X86_SET_SP : x86_kind_by_writes(code);
	}
	if (code->op == 0x8d && x86_is_at(code, X86_SP))
		return reg == X86_SP ? X86_ADD_SP : reg == X86_FP ? X86_SET_FP : X86_OTHER;
	if (code->op == 0x8d && reg == X86_SP && x86_is_at(code, X86_FP))
		return X86_SET_SP;
	if (code->op != 0x8d && reg == X86_FP && x86_is_at(code, X86_SP))
		return code->op == 0x89 ? X86_STORE_FP : X86_LOAD_FP;
	return x86_kind_by_writes(code);
}

/* Opcode ff. */
X86_INLINE enum x86_kind x86_kind_of_group_5(const struct x86_code *code)
{
	switch (x86_group(code)) {
	case 2:
		return X86_CALL_INDIRECT;
	case 4:
		return x86_mod(code) == 0 && (code->modrm & 7) == 5 ? X86_JUMP_SLOT
								    : X86_JUMP_REGISTER;
	case 6:
		return X86_PUSH;
	case 3:
	case 5:
	case 7:
		return X86_INVALID;
	default:
		return x86_kind_by_writes(code);
	}
}

X86_INLINE enum x86_kind x86_kind_of_one_byte(struct x86_code *code)
{
	__u8 op = code->op, reg = (op & 7) | (code->rex & X86_REX_B ? 8 : 0);

	if (op >= 0x50 && op <= 0x57)
		return code->prefixes & X86_PREFIX_16 ? X86_LOSE_SP
		       : reg == X86_FP		      ? X86_PUSH_FP
						      : X86_PUSH;
	if (op >= 0x58 && op <= 0x5f)
		return code->prefixes & X86_PREFIX_16 ? X86_LOSE_BOTH
		       : reg == X86_SP		      ? X86_LOSE_SP
		       : reg == X86_FP		      ? X86_POP_FP
						      : X86_POP;
	if ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3))
		return X86_BRANCH;
	if ((op == 0x81 || op == 0x83) && x86_mod(code) == 3 && x86_rm(code) == X86_SP &&
	    code->rex & X86_REX_W && (x86_group(code) == 0 || x86_group(code) == 5)) {
		code->value = x86_group(code) == 0 ? code->value : -code->value;
		return X86_ADD_SP;
	}
	if (op == 0x8d || (code->rex & X86_REX_W && (op == 0x89 || op == 0x8b)))
		return x86_kind_of_move(code);
	switch (op) {
	case 0x68:
	case 0x6a:
	case 0x9c:
		return X86_PUSH;
	case 0x8f:
		return x86_group(code)			       ? X86_INVALID
		       : x86_kind_by_writes(code) == X86_OTHER ? X86_POP
							       : X86_LOSE_BOTH;
	case 0x9d:
		return X86_POP;
	case 0xc3:
		return X86_RETURN;
	case 0xc9:
		return X86_LEAVE;
	case 0xe8:
		return X86_CALL;
	case 0xe9:
	case 0xeb:
		return X86_JUMP;
	case 0xc2: /* which callers must know of, and ours do not */
	case 0xcc:
	case 0xcf:
	case 0xf4:
		return X86_STOP;
	case 0xff:
		return x86_kind_of_group_5(code);
	default:
		return x86_kind_by_writes(code);
	}
}

X86_INLINE enum x86_kind x86_kind_of_two_bytes(const struct x86_code *code)
{
	if ((code->op & 0xf0) == 0x80)
		return X86_BRANCH;
	switch (code->op) {
	case 0x0b:
	case 0xb9:
	case 0xff:
		return X86_STOP;
	case 0xa0:
	case 0xa8:
		return X86_PUSH;
	case 0xa1:
	case 0xa9:
		return X86_POP;
	default:
		return x86_kind_by_writes(code);
	}
}

/* Decodes the instruction at the start of code->bytes. */
X86_INLINE void x86_decode(struct x86_code *code)
{
	code->at = code->prefixes = code->rex = code->map = code->modrm = code->sib = 0;
	code->vector_register = code->uses_frame = 0;
	code->length = code->kind = 0;
	code->value = code->displacement = 0;
	x86_read_opcode(code);
	X86_STORE_ALL();
	if (code->attributes & X86_UNKNOWN)
		return;
	if (code->attributes & X86_HAS_MODRM)
		x86_read_modrm(code);
	X86_STORE_ALL();
	x86_read_immediate(code);
	X86_STORE_ALL();
	if (code->at >= X86_CODE_BYTES)
		return;
	x86_except(code);
	code->length = code->at;
	X86_STORE_ALL();
	if (code->map == 0)
		code->kind = x86_kind_of_one_byte(code);
	else if (code->map == 1 && !(code->prefixes & X86_PREFIX_VECTOR))
		code->kind = x86_kind_of_two_bytes(code);
	else
		code->kind = x86_kind_by_writes(code);
	X86_STORE_ALL();
	if (code->kind == X86_INVALID)
		code->length = 0;
}

/* True for what fills the space between functions. */
X86_INLINE int x86_is_padding(const struct x86_code *code)
{
	return code->map == 0 ? code->op == 0x90 || code->op == 0xcc
			      : code->map == 1 && code->op == 0x1f;
}

#endif
