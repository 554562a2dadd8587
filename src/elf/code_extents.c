/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/code_extents.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/x86_code.h"
#include "elf/eh_ranges.h"

enum {
	ALIGNMENT = 16, /* of functions */
	MOST_PADDING = 64,
	ARM64_BYTES = 4, /* of an instruction */
};

/* Where control goes after an instruction. */
enum way {
	WAY_UNKNOWN, /* not decoded, or to an address that was computed */
	WAY_ON,
	WAY_CALL,   /* to the target, and on when that returns */
	WAY_BRANCH, /* to the target, or on */
	WAY_JUMP,   /* to the target */
	WAY_OUT,    /* returns, or stops, or goes where a slot says */
};

struct step {
	enum way way;
	uint8_t length;	 /* in bytes; 0: not decoded */
	bool padding;	 /* fills space */
	uint64_t target; /* 0: in a register or in memory */
};

struct code_extents {
	const struct elf_file *file;
	struct eh_ranges *ranges; /* NULL: none, or not read yet */
	bool ranges_read;
	uint64_t bytes; /* of code that was looked at */
};

/* What of an instruction's first byte is known. */
enum visit { VISIT_NONE, VISIT_UNKNOWN = UINT8_MAX }; /* others: the instruction's length */

/* The code of one function, and of what lies between it and its limit. */
struct walk {
	uint16_t machine;
	uint64_t start, size;
	const uint8_t *bytes;
	uint8_t *visits;    /* by byte */
	uint64_t called;    /* where the next function is that this code calls, or the end */
	VEC(uint64_t) next; /* to be followed: offsets */
};

/* ---- instructions ---- */

/* A jump to what one place in memory has leaves the function. One to a register, or to an entry of a table,
 * may lead to a case of a switch. */
static bool is_by_slot(const struct x86_code *code)
{
	enum { SIB = 4, NO_INDEX = 4 };

	if (x86_mod(code) == 3)
		return false;
	return (code->modrm & 7) != SIB ||
	       ((code->sib >> 3 & 7) == NO_INDEX && !(code->rex & X86_REX_X));
}

static enum way x86_way(const struct x86_code *code)
{
	switch (code->kind) {
	case X86_INVALID:
		return WAY_UNKNOWN;
	case X86_CALL:
	case X86_CALL_INDIRECT:
		return WAY_CALL;
	case X86_BRANCH:
		return WAY_BRANCH;
	case X86_JUMP:
		return WAY_JUMP;
	case X86_JUMP_REGISTER:
	case X86_JUMP_SLOT:
		return is_by_slot(code) ? WAY_OUT : WAY_UNKNOWN;
	case X86_RETURN:
	case X86_STOP:
		return WAY_OUT;
	default:
		return WAY_ON;
	}
}

static struct step x86_step(const uint8_t *bytes, uint64_t left, uint64_t address)
{
	struct x86_code code = { 0 };
	struct step step = { 0 };

	memcpy(code.bytes, bytes, left < X86_CODE_BYTES ? left : X86_CODE_BYTES);
	x86_decode(&code);
	if (code.length > left)
		return step;
	step.way = x86_way(&code);
	step.length = code.length;
	step.padding = x86_is_padding(&code);
	if (code.kind == X86_CALL || code.kind == X86_BRANCH || code.kind == X86_JUMP)
		step.target = address + code.length + (uint64_t)(int64_t)code.value;
	return step;
}

/* Encodings: Arm Architecture Reference Manual for A-profile, C4.1.66 "Branches, Exception Generating and
 * System instructions". */
static const struct {
	uint32_t mask, value;
	enum way way;
	uint8_t low, bits; /* where the distance is, in instructions; 0: there is none */
} arm64_rows[] = {
	{ 0xfc000000, 0x14000000, WAY_JUMP, 0, 26 },   /* b */
	{ 0xfc000000, 0x94000000, WAY_CALL, 0, 26 },   /* bl */
	{ 0xff000000, 0x54000000, WAY_BRANCH, 5, 19 }, /* b.cond, bc.cond */
	{ 0x7e000000, 0x34000000, WAY_BRANCH, 5, 19 }, /* cbz, cbnz */
	{ 0x7e000000, 0x36000000, WAY_BRANCH, 5, 14 }, /* tbz, tbnz */
	{ 0xfeff0000, 0xd61f0000, WAY_UNKNOWN, 0, 0 }, /* br, braa, brab */
	{ 0xfeff0000, 0xd63f0000, WAY_CALL, 0, 0 },    /* blr, blraa, blrab */
	{ 0xfeff0000, 0xd65f0000, WAY_OUT, 0, 0 },     /* ret, retaa, retab */
	{ 0xfeff0000, 0xd69f0000, WAY_OUT, 0, 0 },     /* eret */
	{ 0xffe00000, 0xd4200000, WAY_OUT, 0, 0 },     /* brk */
	{ 0xffe00000, 0xd4400000, WAY_OUT, 0, 0 },     /* hlt */
	{ 0xffff0000, 0x00000000, WAY_OUT, 0, 0 },     /* udf */
};

/* A signed distance in @bits of an instruction from bit @low on, in bytes. */
static uint64_t arm64_distance(uint32_t word, uint8_t low, uint8_t bits)
{
	uint64_t sign = 1ULL << (bits - 1), value = word >> low & (sign * 2 - 1);

	return ((value ^ sign) - sign) * ARM64_BYTES;
}

static struct step arm64_step(const uint8_t *bytes, uint64_t left, uint64_t address)
{
	enum { NOP = 0xd503201f };
	struct step step = { 0 };
	uint32_t word;

	if (left < ARM64_BYTES)
		return step;
	word = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	step = (struct step){ .way = WAY_ON,
			      .length = ARM64_BYTES,
			      .padding = word == NOP || word == 0 };
	for (size_t i = 0; i < sizeof(arm64_rows) / sizeof(*arm64_rows); i++) {
		if ((word & arm64_rows[i].mask) != arm64_rows[i].value)
			continue;
		step.way = arm64_rows[i].way;
		if (arm64_rows[i].bits)
			step.target = address +
				      arm64_distance(word, arm64_rows[i].low, arm64_rows[i].bits);
		break;
	}
	return step;
}

static struct step step_at(const struct walk *walk, uint64_t offset)
{
	return (walk->machine == EM_X86_64 ? x86_step : arm64_step)(
		walk->bytes + offset, walk->size - offset, walk->start + offset);
}

/* ---- following them ---- */

static uint64_t after_padding(const struct walk *walk, uint64_t offset)
{
	uint64_t end = walk->size - offset < MOST_PADDING ? walk->size : offset + MOST_PADDING;

	while (offset < end) {
		struct step step = step_at(walk, offset);

		if (!step.padding || !step.length)
			break;
		offset += step.length;
	}
	return offset;
}

/* False where padding follows up to where a function may begin: then it is not known that the call returns,
 * and what lies there is reached if the function jumps there. */
static bool returns(const struct walk *walk, uint64_t after)
{
	uint64_t offset = after_padding(walk, after);

	return offset == after || (walk->start + offset) % ALIGNMENT;
}

static void come_to(struct walk *walk, uint64_t target)
{
	if (target - walk->start < walk->size)
		*vec_push(&walk->next) = target - walk->start;
}

/* Calls are made to where functions begin, but for the one that reads the program counter. */
static void note_call(struct walk *walk, uint64_t target, uint64_t after)
{
	uint64_t offset = target - walk->start;

	if (target && offset && offset < walk->called && offset != after)
		walk->called = offset;
}

static void follow(struct walk *walk, uint64_t offset)
{
	while (offset < walk->size && walk->visits[offset] == VISIT_NONE) {
		struct step step = step_at(walk, offset);
		uint64_t after = offset + step.length;

		walk->visits[offset] = step.way == WAY_UNKNOWN ? VISIT_UNKNOWN : step.length;
		if (step.way == WAY_CALL)
			note_call(walk, step.target, after);
		else if (step.target)
			come_to(walk, step.target);
		if (step.way == WAY_UNKNOWN || step.way == WAY_JUMP || step.way == WAY_OUT ||
		    (step.way == WAY_CALL && !returns(walk, after)))
			return;
		offset = after;
	}
}

/* Where the code that was reached has its first gap: what is after it belongs to another function, to which
 * this one jumps at its end. */
static uint64_t find_end(const struct walk *walk)
{
	uint64_t end = 0;

	while (end < walk->called) {
		uint64_t next;

		if (walk->visits[end] == VISIT_UNKNOWN)
			return walk->called;
		end += walk->visits[end];
		if (end >= walk->called || walk->visits[end] != VISIT_NONE)
			continue;
		next = after_padding(walk, end);
		if (next >= walk->called || walk->visits[next] == VISIT_NONE)
			return end;
		end = next;
	}
	return walk->called;
}

static uint64_t walk_code(uint16_t machine, uint64_t start, const uint8_t *bytes, uint64_t size)
{
	struct walk walk = {
		.machine = machine, .start = start, .size = size, .bytes = bytes, .called = size
	};
	uint64_t end;

	walk.visits = xcalloc(size, 1);
	come_to(&walk, start);
	while (walk.next.count)
		follow(&walk, walk.next.items[--walk.next.count]);
	end = find_end(&walk);
	vec_free(&walk.next);
	free(walk.visits);
	return end;
}

/* ---- the file ---- */

struct code_extents *code_extents_new(const struct elf_file *file)
{
	struct code_extents *extents = xcalloc(1, sizeof(*extents));

	extents->file = file;
	return extents;
}

void code_extents_free(struct code_extents *extents)
{
	if (!extents)
		return;
	eh_ranges_free(extents->ranges);
	free(extents);
}

/* True if a description begins with the function: *limit is where it ends. Otherwise *limit is narrowed to
 * where the description ends that the function is in, or to where the next one begins. */
static bool is_described(struct code_extents *extents, uint64_t start, uint64_t *limit)
{
	uint64_t found = 0;

	if (!extents->ranges_read)
		eh_ranges_read(extents->file, &extents->ranges, NULL);
	extents->ranges_read = true;
	return extents->ranges && eh_ranges_narrow(extents->ranges, start, &found, limit) &&
	       found == start;
}

/* Reads code of one section. NULL: the file does not have it. */
static uint8_t *read_code(const struct elf_file *file, uint64_t start, uint64_t size)
{
	const struct elf_section *section = elf_file_code_section(file, start);
	uint64_t offset = section ? start - section->address : 0;
	_cleanup_free_ uint8_t *bytes = NULL;

	if (!section || section->type == SHT_NOBITS || section->size - offset < size)
		return NULL;
	bytes = xmalloc(size);
	if (elf_file_read_at(file, section->offset + offset, bytes, size, NULL) < 0)
		return NULL;
	return steal_ptr(bytes);
}

/* They have one function each, made of pieces of several files. */
static bool is_one_function(const struct elf_file *file, uint64_t start)
{
	const struct elf_section *section = elf_file_code_section(file, start);

	return section &&
	       (strcmp(section->name, ".init") == 0 || strcmp(section->name, ".fini") == 0);
}

uint64_t code_extents_end(struct code_extents *extents, uint64_t start, uint64_t limit)
{
	uint16_t machine = elf_file_machine(extents->file);
	_cleanup_free_ uint8_t *bytes = NULL;
	uint64_t size, end;

	if (start >= limit || is_one_function(extents->file, start) ||
	    is_described(extents, start, &limit) || (machine != EM_X86_64 && machine != EM_AARCH64))
		return limit;
	size = limit - start < CODE_EXTENTS_MAX_BYTES ? limit - start : CODE_EXTENTS_MAX_BYTES;
	if (size > CODE_EXTENTS_MAX_TOTAL - extents->bytes)
		return limit;
	extents->bytes += size;
	bytes = read_code(extents->file, start, size);
	end = bytes ? walk_code(machine, start, bytes, size) : size;
	return end < size ? start + end : limit;
}
