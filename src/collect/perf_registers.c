/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_registers.h"

#include <elf.h>
#include <linux/perf_event.h>

enum {
	NUMBERS = 33,
	PC = -1, /* not a register of DWARF's */
	NONE = -2,
	X86_SP = 7,
	ARM64_SP = 31,
};

/* By perf's number: DWARF's. x86: AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8..R15. */
static const signed char x86[NUMBERS] = {
	0, 3,  2,  1,  4,  5,  6,  X86_SP, PC,	 NONE, NONE, NONE, NONE, NONE, NONE, NONE, 8,
	9, 10, 11, 12, 13, 14, 15, NONE,   NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
};
/* arm64: X0..X29 LR SP PC. */
static const signed char arm64[NUMBERS] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14,	  15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, ARM64_SP, PC,
};

static const signed char *numbers_of(uint16_t machine)
{
	return machine == EM_X86_64 ? x86 : machine == EM_AARCH64 ? arm64 : NULL;
}

uint64_t perf_registers_mask(uint16_t machine)
{
	const signed char *numbers = numbers_of(machine);
	uint64_t mask = 0;

	for (int i = 0; numbers && i < NUMBERS; i++) {
		if (numbers[i] != NONE)
			mask |= 1ULL << i;
	}
	return mask;
}

bool perf_registers_to_dwarf(const struct perf_registers *registers, uint16_t machine,
			     struct unwind_registers *ret_registers)
{
	const signed char *numbers = numbers_of(machine);
	struct unwind_registers made = { 0 };
	bool has_pc = false;
	size_t at = 0;

	if (!numbers || registers->abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (int i = 0; i < 64 && at < registers->count; i++) {
		uint64_t value;

		if (!(registers->mask >> i & 1))
			continue;
		value = registers->values[at++];
		if (i >= NUMBERS || numbers[i] == NONE)
			continue;
		if (numbers[i] == PC) {
			made.pc = value;
			has_pc = true;
			continue;
		}
		made.values[(int)numbers[i]] = value;
		made.known |= 1ULL << numbers[i];
	}
	if (!has_pc || !(made.known >> (machine == EM_X86_64 ? X86_SP : ARM64_SP) & 1))
		return false;
	*ret_registers = made;
	return true;
}
