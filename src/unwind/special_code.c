/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/special_code.h"

#include <elf.h>
#include <string.h>

#include "base/cleanup.h"

/* ---- arm64's signal trampoline ---- */

enum {
	MAX_VDSO_CODE = 64 * 1024,
	INSTRUCTION = 4,
	MOV_X8_RT_SIGRETURN = 0xd2801168, /* mov x8, #139 */
	SVC_0 = 0xd4000001,
};

/* Offsets in the frame: 128 bytes of siginfo, then the ucontext, with the registers at 176. */
enum {
	SIGNAL_REGISTERS = 128 + 176 + 8,
	SIGNAL_FP = SIGNAL_REGISTERS + 29 * 8,
	SIGNAL_SP = SIGNAL_REGISTERS + 31 * 8,
	SIGNAL_PC = SIGNAL_REGISTERS + 32 * 8,
};

static bool find_in(const struct elf_file *file, const struct elf_section *section,
		    uint64_t *ret_start)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	uint32_t before = 0;
	struct reader reader;

	if (section->size > MAX_VDSO_CODE || elf_file_read(file, section, &bytes, NULL) < 0)
		return false;
	/* correct for little-endian files; arm64 instructions are little-endian in others, too */
	reader = elf_file_reader(file, bytes, section->size);
	while (reader_left(&reader) >= INSTRUCTION) {
		uint32_t instruction = reader_u32(&reader);

		if (before == MOV_X8_RT_SIGRETURN && instruction == SVC_0) {
			uint64_t end = section->address + (uint64_t)(reader.at - bytes);

			*ret_start = end - 2 * (uint64_t)INSTRUCTION;
			return true;
		}
		before = instruction;
	}
	return false;
}

bool special_code_trampoline(const struct elf_file *file, uint64_t *ret_start, uint64_t *ret_size)
{
	const struct elf_section *section;
	uint64_t start;

	for (size_t i = 0; (section = elf_file_code(file, i)); i++) {
		if (!find_in(file, section, &start))
			continue;
		*ret_size = 2 * (uint64_t)INSTRUCTION;
		if (start > section->address) {
			start -= INSTRUCTION;
			*ret_size += INSTRUCTION;
		}
		*ret_start = start;
		return true;
	}
	return false;
}

struct unwind_rule special_code_signal_rule(void)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP_DEREF,
				     .cfa_offset = SIGNAL_SP,
				     .ra = UNWIND_SAVED_SP,
				     .ra_offset = SIGNAL_PC,
				     .fp = UNWIND_SAVED_SP,
				     .fp_offset = SIGNAL_FP,
				     .flags = UNWIND_RULE_SIGNAL };
}

/* ---- Go's functions that change stacks ---- */

/* x86-64 instructions, as Go's assembler encodes them. */
enum { POP_RBP = 0x5d, WORD = 8 };

/* A function's code, and what is known of its frame. */
struct code {
	uint64_t address;
	const uint8_t *bytes;
	uint64_t size;
	bool pushes;	 /* pushes rbp first; otherwise rbp is stored in the room */
	uint32_t room;	 /* subtracted from the stack pointer, pushes not included */
	unsigned taking; /* length of the instruction that subtracts it; 0: pushes */
	uint64_t body;	 /* offset after the frame pointer is set */
	special_code_row row;
	void *context;
};

static bool has(const struct code *code, uint64_t at, const char *bytes, uint64_t count)
{
	return at <= code->size && code->size - at >= count &&
	       memcmp(code->bytes + at, bytes, count) == 0;
}

/* Reads an instruction that ends in a constant of one or four bytes. @small and @large are its two
 * encodings, of @count bytes each. Returns the instruction's length; 0: another instruction. */
static unsigned read_constant(const struct code *code, uint64_t at, const char *small,
			      const char *large, uint64_t count, uint32_t *ret_constant)
{
	if (has(code, at, small, count) && code->size - at > count) {
		*ret_constant = code->bytes[at + count];
		return *ret_constant < 0x80 ? (unsigned)count + 1 : 0;
	}
	if (!has(code, at, large, count) || code->size - at < count + sizeof(*ret_constant))
		return 0;
	memcpy(ret_constant, code->bytes + at + count, sizeof(*ret_constant));
	return (unsigned)(count + sizeof(*ret_constant));
}

/* sub $room,%rsp; mov %rbp,room-8(%rsp); lea room-8(%rsp),%rbp: before Go 1.21. */
static bool read_older_start(struct code *code)
{
	uint32_t saved = 0, set = 0;
	unsigned sub, mov, lea;

	code->taking = sub = read_constant(code, 0, "\x48\x83\xec", "\x48\x81\xec", 3, &code->room);
	mov = sub ? read_constant(code, sub, "\x48\x89\x6c\x24", "\x48\x89\xac\x24", 4, &saved) : 0;
	lea = mov ? read_constant(code, sub + mov, "\x48\x8d\x6c\x24", "\x48\x8d\xac\x24", 4, &set)
		  : 0;
	code->body = sub + mov + lea;
	return lea && saved == set && code->room >= WORD && saved == code->room - WORD;
}

/* push %rbp; mov %rsp,%rbp */
static bool read_start(struct code *code)
{
	static const char start[] = "\x55\x48\x89\xe5";

	code->pushes = has(code, 0, start, sizeof(start) - 1);
	code->body = sizeof(start) - 1;
	return code->pushes || read_older_start(code);
}

/* Recognises the end of a function at @at: the frame pointer is restored and the room released.
 * *ret_restored: from here on rbp is the caller's; *ret_ret: the return. */
static bool read_end(const struct code *code, uint64_t at, uint64_t *ret_restored,
		     uint64_t *ret_ret)
{
	uint32_t room = 0, saved = 0;
	unsigned size;

	if (code->pushes) {
		*ret_restored = *ret_ret = at + 1;
		return has(code, at, "\x5d\xc3", 2);
	}
	size = read_constant(code, at, "\x48\x8b\x6c\x24", "\x48\x8b\xac\x24", 4, &saved);
	*ret_restored = at + size;
	if (!size || saved != code->room - WORD)
		return false;
	size = read_constant(code, *ret_restored, "\x48\x83\xc4", "\x48\x81\xc4", 3, &room);
	*ret_ret = *ret_restored + size;
	return size && room == code->room && has(code, *ret_ret, "\xc3", 1);
}

/* True if the bytes at @at may be an instruction that sets rbp. The code is not decoded: bytes that
 * only look like one make the function lose its caller, nothing else. */
static bool sets_rbp(const struct code *code, uint64_t at)
{
	enum { FIELD_REG = 0x38, REG_RBP = 0x28, FIELD_RM = 0xc7, RM_RBP = 0xc5 };
	uint8_t byte = code->bytes[at], next, third;

	if (byte == POP_RBP || has(code, at, "\x31\xed", 2) || has(code, at, "\x33\xed", 2))
		return true;
	if (code->size - at < 3)
		return false;
	next = code->bytes[at + 1];
	third = code->bytes[at + 2];
	if ((byte == 0x48 || byte == 0x4c) && (next == 0x89 || next == 0xc7))
		return (third & FIELD_RM) == RM_RBP;
	return (byte == 0x48 || byte == 0x49) && (next == 0x8b || next == 0x8d) &&
	       (third & FIELD_REG) == REG_RBP;
}

static bool keeps_rbp(const struct code *code)
{
	uint64_t at = code->body, restored, ret;

	while (at < code->size) {
		if (read_end(code, at, &restored, &ret))
			at = ret + 1;
		else if (sets_rbp(code, at))
			return false;
		else
			at++;
	}
	return true;
}

static void tell(const struct code *code, uint64_t at, struct unwind_rule rule)
{
	rule.flags = UNWIND_RULE_SWITCH;
	rule.bx_offset = UNWIND_BX_LOST;
	code->row(code->context, code->address + at, &rule);
}

/* The return address is at the stack pointer + @offset - 8. */
static struct unwind_rule by_sp(uint32_t offset)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP,
				     .cfa_offset = (int32_t)offset,
				     .ra = UNWIND_SAVED_CFA,
				     .ra_offset = -WORD,
				     .fp = UNWIND_SAVED_SAME };
}

static struct unwind_rule by_frame(void)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_FP,
				     .cfa_offset = 2 * WORD,
				     .ra = UNWIND_SAVED_CFA,
				     .ra_offset = -WORD,
				     .fp = UNWIND_SAVED_CFA,
				     .fp_offset = -2 * WORD };
}

static void tell_start(const struct code *code)
{
	struct unwind_rule pushed = by_sp(2 * WORD);

	tell(code, 0, by_sp(WORD));
	if (code->pushes) {
		pushed.fp = UNWIND_SAVED_CFA;
		pushed.fp_offset = -2 * WORD;
		tell(code, 1, pushed);
	} else {
		tell(code, code->taking, by_sp(code->room + WORD));
	}
	tell(code, code->body, by_frame());
}

static void tell_frame(const struct code *code)
{
	uint64_t at = code->body, restored, ret;

	tell_start(code);
	while (at < code->size) {
		if (!read_end(code, at, &restored, &ret)) {
			at++;
			continue;
		}
		if (restored < ret)
			tell(code, restored, by_sp(code->room + WORD));
		tell(code, ret, by_sp(WORD));
		at = ret + 1;
		if (at < code->size)
			tell(code, at, by_frame());
	}
}

void special_code_switch(uint16_t machine, uint64_t address, const uint8_t *bytes, uint64_t size,
			 special_code_row row, void *context)
{
	struct code code = {
		.address = address, .bytes = bytes, .size = size, .row = row, .context = context
	};

	if (machine == EM_X86_64 && read_start(&code) && code.room <= INT32_MAX - 2 * WORD &&
	    keeps_rbp(&code))
		tell_frame(&code);
	else
		tell(&code, 0,
		     (struct unwind_rule){ .cfa = UNWIND_CFA_SWITCHED,
					   .ra = UNWIND_SAVED_SAME,
					   .fp = UNWIND_SAVED_UNDEFINED });
}
