/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_registers.h"

#include <elf.h>

enum {
	X86_IP = 8,
	X86_R8 = 16,
	X86_KNOWN = 24,
	X86_DWARF_SP = 7,
	ARM64_PC = 32,
	ARM64_DWARF_SP = 31,
	NOT_WANTED = -1,
};

/* From perf's ax bx cx dx si di bp sp to DWARF numbers: x86-64 psABI, figure 3.36. */
static const int8_t x86_dwarf[X86_IP] = { 0, 3, 2, 1, 4, 5, 6, 7 };

/* The DWARF number of perf's register @number; NOT_WANTED if the unwinder does not use it. */
static int dwarf_number(uint16_t machine, unsigned number)
{
	if (machine == EM_AARCH64)
		return number < ARM64_PC ? (int)number : NOT_WANTED;
	if (number < X86_IP)
		return x86_dwarf[number];
	return number >= X86_R8 && number < X86_KNOWN ? (int)(number - X86_R8) + 8 : NOT_WANTED;
}

uint64_t perf_registers_mask(uint16_t machine)
{
	uint64_t mask = 0;

	if (machine == EM_AARCH64)
		return (1ULL << (ARM64_PC + 1)) - 1;
	for (unsigned i = 0; machine == EM_X86_64 && i < X86_KNOWN; i++) {
		if (i == X86_IP || dwarf_number(machine, i) != NOT_WANTED)
			mask |= 1ULL << i;
	}
	return mask;
}

unsigned perf_registers_sp(uint16_t machine)
{
	return machine == EM_AARCH64 ? ARM64_DWARF_SP : X86_DWARF_SP;
}

bool perf_registers_for_unwinding(const struct perf_registers *registers, uint16_t machine,
				  struct unwind_registers *ret_registers)
{
	struct unwind_registers found = { 0 };
	unsigned pc = machine == EM_AARCH64 ? ARM64_PC : X86_IP;
	size_t next = 0;

	if (registers->abi != PERF_SAMPLE_REGS_ABI_64 ||
	    (machine != EM_X86_64 && machine != EM_AARCH64))
		return false;
	for (unsigned i = 0; i < 64 && next < registers->count; i++) {
		int number = dwarf_number(machine, i);
		uint64_t value;

		if (!(registers->mask >> i & 1))
			continue;
		value = registers->values[next++];
		if (i == pc)
			found.pc = value;
		if (number == NOT_WANTED)
			continue;
		found.values[number] = value;
		found.known |= 1ULL << number;
	}
	*ret_registers = found;
	return registers->mask >> pc & 1 && found.known >> perf_registers_sp(machine) & 1;
}
