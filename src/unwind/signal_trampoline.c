/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/signal_trampoline.h"

#include "base/cleanup.h"

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
			uint64_t behind = section->address + (uint64_t)(reader.at - bytes);

			*ret_start = behind - 2 * (uint64_t)INSTRUCTION;
			return true;
		}
		before = instruction;
	}
	return false;
}

bool signal_trampoline_find(const struct elf_file *file, uint64_t *ret_start, uint64_t *ret_size)
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

struct unwind_rule signal_trampoline_rule(void)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP_DEREF,
				     .cfa_offset = SIGNAL_SP,
				     .ra = UNWIND_SAVED_SP,
				     .ra_offset = SIGNAL_PC,
				     .fp = UNWIND_SAVED_SP,
				     .fp_offset = SIGNAL_FP,
				     .flags = UNWIND_RULE_SIGNAL };
}
