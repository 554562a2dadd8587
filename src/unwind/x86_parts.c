/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/x86_parts.h"

#include <string.h>

/* What follows an opcode:
 *   .  nothing            m  ModRM             b  ModRM, 8 bits        z  ModRM, 32 bits (16)
 *   i  8 bits             I  32 bits (16)      w  16 bits              e  16 and 8 bits
 *   r  relative, 8 bits   R  relative, 32      o  64 bits              q  as I, 64 with REX.W
 *   g  ModRM, 8 bits of test                   G  the same, 32 bits (16)
 *   x  no instruction of 64-bit code, or a prefix where none can be
 */
static const char one_byte[256 + 1] = "mmmmiIxxmmmmiIxx" /* 0x00 */
				      "mmmmiIxxmmmmiIxx"
				      "mmmmiIxxmmmmiIxx"
				      "mmmmiIxxmmmmiIxx"
				      "xxxxxxxxxxxxxxxx" /* 0x40 */
				      "................"
				      "xxxmxxxxIzib...."
				      "rrrrrrrrrrrrrrrr"
				      "bzxbmmmmmmmmmmmm" /* 0x80 */
				      "..........x....."
				      "oooo....iI......"
				      "iiiiiiiiqqqqqqqq"
				      "bbw.xxbze.w..ix." /* 0xc0 */
				      "mmmmxxx.mmmmmmmm"
				      "rrrriiiiRRxr...."
				      "x.xx..gG......mm";

/* Behind 0x0f. */
static const char two_bytes[256 + 1] = "mmmmx.....x.xm.x" /* 0x00 */
				       "mmmmmmmmmmmmmmmm"
				       "mmmmxxxxmmmmmmmm"
				       "......x.xxxxxxxx"
				       "mmmmmmmmmmmmmmmm" /* 0x40 */
				       "mmmmmmmmmmmmmmmm"
				       "mmmmmmmmmmmmmmmm"
				       "bbbbmmm.mmxxmmmm"
				       "RRRRRRRRRRRRRRRR" /* 0x80 */
				       "mmmmmmmmmmmmmmmm"
				       "...mbmxx...mbmmm"
				       "mmmmmmmmmmbmmmmm"
				       "mmbmbbbm........" /* 0xc0 */
				       "mmmmmmmmmmmmmmmm"
				       "mmmmmmmmmmmmmmmm"
				       "mmmmmmmmmmmmmmmx";

/* The general registers an instruction sets: M that of ModRM.rm, R that of ModRM.reg, B both. Those
 * of rax and rdx without saying so are of no interest. */
static const char one_byte_sets[256 + 1] = "MMRR    MMRR    " /* 0x00 */
					   "MMRR    MMRR    "
					   "MMRR    MMRR    "
					   "MMRR            "
					   "                " /* 0x40 */
					   "                "
					   "   R     R R    "
					   "                "
					   "MM M  BBMMRR R M" /* 0x80 */
					   "                "
					   "                "
					   "                "
					   "MM    MM        " /* 0xc0 */
					   "MMMM            "
					   "                "
					   "      MM      MM";

static const char two_bytes_sets[256 + 1] = "  RR            " /* 0x00 */
					    "                "
					    "            RR  "
					    "                "
					    "RRRRRRRRRRRRRRRR" /* 0x40 */
					    "R               "
					    "                "
					    "              M "
					    "                " /* 0x80 */
					    "MMMMMMMMMMMMMMMM"
					    "    MM     MMM R"
					    "MM M  RRR MMRRRR"
					    "BB   R M        " /* 0xc0 */
					    "       R        "
					    "                "
					    "                ";

static bool take(struct x86_parts *p, size_t count, int64_t *ret_value)
{
	uint64_t value = 0;

	if (p->size - p->at < count)
		return false;
	for (size_t i = 0; i < count; i++)
		value |= (uint64_t)p->bytes[p->at + i] << 8 * i;
	p->at += count;
	if (count < 8 && count > 0 && value >> (8 * count - 1))
		value |= UINT64_MAX << 8 * count;
	*ret_value = (int64_t)value;
	return true;
}

static bool take_byte(struct x86_parts *p, uint8_t *ret_byte)
{
	if (p->at == p->size)
		return false;
	*ret_byte = p->bytes[p->at++];
	return true;
}

/* Returns the byte behind them. */
static bool take_prefixes(struct x86_parts *p, uint8_t *ret_byte)
{
	enum { OPERAND = 0x66, ADDRESS = 0x67 };
	static const uint8_t others[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0xf0, 0xf2, 0xf3 };

	for (;;) {
		if (!take_byte(p, ret_byte))
			return false;
		if (*ret_byte == OPERAND)
			p->short_operand = true;
		else if (*ret_byte == ADDRESS)
			p->short_address = true;
		else if (!memchr(others, *ret_byte, sizeof(others)))
			return true;
	}
}

static void set_rex(struct x86_parts *p, uint8_t rex)
{
	p->rex = true;
	p->w = rex >> 3 & 1;
	p->r = (rex & 4) << 1;
	p->x = (rex & 2) << 2;
	p->b = (rex & 1) << 3;
}

/* The three bytes of EVEX, the two or one of VEX: @first came before. */
static bool take_vector_prefix(struct x86_parts *p, uint8_t first)
{
	enum { EVEX = 0x62, VEX_3 = 0xc4 };
	uint8_t a, b, c = 0;

	p->vector = true;
	if (!take_byte(p, &a))
		return false;
	p->r = (~a & 0x80) >> 4;
	b = a;
	p->map = X86_MAP_0F;
	if (first == EVEX || first == VEX_3) {
		if (!take_byte(p, &b) || (first == EVEX && !take_byte(p, &c)))
			return false;
		p->x = (~a & 0x40) >> 3;
		p->b = (~a & 0x20) >> 2;
		p->w = b >> 7;
		p->map = (enum x86_map)(a & (first == EVEX ? 7 : 0x1f));
		if (first == EVEX && p->map > X86_MAP_0F3A)
			p->map =
				X86_MAP_0F; /* maps 5 and 6 have neither immediates nor registers */
	}
	p->vvvv = ~b >> 3 & 0xf;
	return p->map > X86_MAP_ONE && p->map < X86_MAP_COUNT && take_byte(p, &p->opcode);
}

static bool take_opcode(struct x86_parts *p)
{
	enum { ESCAPE = 0x0f, ESCAPE_38 = 0x38, ESCAPE_3A = 0x3a, REX = 0x40 };
	uint8_t byte;

	if (!take_prefixes(p, &byte))
		return false;
	if (byte == 0x62 || byte == 0xc4 || byte == 0xc5)
		return take_vector_prefix(p, byte);
	if ((byte & 0xf0) == REX) {
		set_rex(p, byte);
		if (!take_byte(p, &byte))
			return false;
	}
	p->opcode = byte;
	if (byte != ESCAPE)
		return true;
	p->map = X86_MAP_0F;
	if (!take_byte(p, &p->opcode))
		return false;
	if (p->opcode != ESCAPE_38 && p->opcode != ESCAPE_3A)
		return true;
	p->map = p->opcode == ESCAPE_38 ? X86_MAP_0F38 : X86_MAP_0F3A;
	return take_byte(p, &p->opcode);
}

static char form_of(const struct x86_parts *p)
{
	switch (p->map) {
	case X86_MAP_ONE:
		return one_byte[p->opcode];
	case X86_MAP_0F:
		return two_bytes[p->opcode];
	case X86_MAP_0F38:
		return 'm';
	default:
		return 'b';
	}
}

static bool take_memory(struct x86_parts *p)
{
	uint8_t mod = p->mod, rm = p->rm & 7, sib;

	p->base = p->rm;
	p->index = X86_NO_REGISTER;
	if (rm == 4) {
		if (!take_byte(p, &sib))
			return false;
		p->base = (sib & 7) | p->b;
		p->index = (sib >> 3 & 7) | p->x;
		if (p->index == 4)
			p->index = X86_NO_REGISTER;
		rm = sib & 7;
	}
	if (mod == 0 && rm == 5) {
		p->base = X86_NO_REGISTER;
		return take(p, 4, &p->displacement);
	}
	return mod == 0 || take(p, mod == 1 ? 1 : 4, &p->displacement);
}

static bool take_modrm(struct x86_parts *p)
{
	uint8_t byte;

	if (!take_byte(p, &byte))
		return false;
	p->modrm = true;
	p->mod = byte >> 6;
	p->reg = (byte >> 3 & 7) | p->r;
	p->rm = (byte & 7) | p->b;
	p->base = p->index = X86_NO_REGISTER;
	return p->mod == 3 || take_memory(p);
}

static size_t immediate_size(const struct x86_parts *p)
{
	size_t word = p->short_operand ? 2 : 4;

	switch (p->form) {
	case 'b':
	case 'i':
	case 'r':
		return 1;
	case 'g':
		return (p->reg & 7) < 2 ? 1 : 0;
	case 'G':
		return (p->reg & 7) < 2 ? word : 0;
	case 'z':
	case 'I':
		return word;
	case 'R':
		return 4;
	case 'q':
		return p->w ? 8 : word;
	case 'o':
		return p->short_address ? 4 : 8;
	case 'w':
		return 2;
	case 'e':
		return 3;
	default:
		return 0;
	}
}

bool x86_take_apart(const uint8_t *bytes, size_t size, struct x86_parts *p)
{
	*p = (struct x86_parts){ .bytes = bytes, .size = size < X86_LONGEST ? size : X86_LONGEST };
	if (!take_opcode(p))
		return false;
	p->form = form_of(p);
	if (p->form == 'x')
		return false;
	if (strchr("mbzgG", p->form) && !take_modrm(p))
		return false;
	return take(p, immediate_size(p), &p->immediate);
}

/* ---- registers that are set ---- */

/* Instructions of vectors that set a general register. */
static bool vector_sets(const struct x86_parts *p)
{
	static const uint8_t in_0f[] = { 0x2c, 0x2d, 0x50, 0x7e, 0x93, 0xc5, 0xd7 };

	if (p->map == X86_MAP_0F)
		return memchr(in_0f, p->opcode, sizeof(in_0f));
	if (p->map == X86_MAP_0F38)
		return p->opcode >= 0xf0 && p->opcode <= 0xf7;
	return p->opcode == 0xf0 || (p->opcode >= 0x14 && p->opcode <= 0x17);
}

static char sets_of(const struct x86_parts *p)
{
	uint8_t group = p->reg & 7;

	switch (p->map) {
	case X86_MAP_ONE:
		if ((p->opcode >= 0x80 && p->opcode <= 0x83 && group == 7) || /* cmp */
		    ((p->opcode & 0xfe) == 0xf6 && group != 2 && group != 3) ||
		    ((p->opcode & 0xfe) == 0xfe && group > 1))
			return ' ';
		return one_byte_sets[p->opcode];
	case X86_MAP_0F:
		if (p->opcode == 0xba && group < 5) /* bt */
			return ' ';
		return two_bytes_sets[p->opcode];
	case X86_MAP_0F38:
		return p->opcode >= 0xf0 ? 'R' : ' ';
	default:
		return p->opcode >= 0x14 && p->opcode <= 0x17 ? 'M' : ' ';
	}
}

/* Of 8 bits without REX 4 to 7 are the second bytes of the first four. */
static uint16_t bit_of(const struct x86_parts *p, uint8_t reg)
{
	bool byte = (p->map == X86_MAP_ONE && !(p->opcode & 1) &&
		     (p->opcode < 0x40 || p->opcode >= 0x80) && p->opcode != 0x8e) ||
		    (p->map == X86_MAP_0F && (p->opcode & 0xf0) == 0x90);

	if (byte && !p->rex && reg >= 4 && reg < 8)
		reg -= 4;
	return (uint16_t)(1U << reg);
}

static uint16_t sets_by_opcode(const struct x86_parts *p)
{
	enum { CPUID = 0xa2, BSWAP = 0xc8, XCHG = 0x90, MOV = 0xb0 };
	uint8_t low = (p->opcode & 7) | p->b;

	if (p->map == X86_MAP_0F)
		return p->opcode == CPUID	     ? 1U << X86_BX
		       : (p->opcode & 0xf8) == BSWAP ? (uint16_t)(1U << low)
						     : 0;
	if (p->map == X86_MAP_ONE && (p->opcode & 0xf8) == XCHG && low != X86_AX)
		return (uint16_t)(1U << low);
	if (p->map == X86_MAP_ONE && (p->opcode & 0xf0) == MOV)
		return p->opcode & 8 ? (uint16_t)(1U << low) : bit_of(p, low);
	return 0;
}

uint16_t x86_registers_set(const struct x86_parts *p)
{
	uint16_t set = sets_by_opcode(p);
	char sets;

	if (!p->modrm)
		return set;
	if (p->vector) {
		if (!vector_sets(p))
			return 0;
		set = (uint16_t)(1U << p->reg | 1U << p->vvvv);
		return p->mod == 3 ? set | (uint16_t)(1U << p->rm) : set;
	}
	sets = sets_of(p);
	if (sets == 'R' || sets == 'B')
		set |= bit_of(p, p->reg);
	if ((sets == 'M' || sets == 'B') && p->mod == 3)
		set |= bit_of(p, p->rm);
	return set;
}
