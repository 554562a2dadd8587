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

/* The next one; zeroes (and reader->bad) when it is not all there. */
struct elf_symbol elf_symbol_next(const struct elf_file *file, struct reader *reader);

/* Where what a symbol stands for is, an ELF virtual address: in a relocatable file its value counts
 * from its section. False: it is not in this file. */
bool elf_symbol_address(const struct elf_file *file, const struct elf_symbol *symbol,
			uint64_t *ret_address);

#endif
