/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One entry of a symbol table (ELF gABI "Symbol Table"). */
#ifndef ELF_ELF_SYMBOL_H
#define ELF_ELF_SYMBOL_H

#include <stdint.h>

#include "elf/elf_file.h"

struct elf_symbol {
	uint64_t value, size;
	uint32_t name; /* offset into the linked string table */
	uint16_t section;
	uint8_t info; /* type and binding */
};

/* Reads the next entry. If it is incomplete, the result is all zeroes and reader->bad is set. */
struct elf_symbol elf_symbol_next(const struct elf_file *file, struct reader *reader);

/* The address a symbol stands for, an ELF virtual address. In a relocatable file a symbol's value
 * counts from the start of its section. False: the symbol is not defined in this file. */
bool elf_symbol_address(const struct elf_file *file, const struct elf_symbol *symbol,
			uint64_t *ret_address);

#endif
