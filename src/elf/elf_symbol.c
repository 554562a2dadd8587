/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/elf_symbol.h"

#include <elf.h>

struct elf_symbol elf_symbol_next(const struct elf_file *file, struct reader *reader)
{
	struct elf_symbol symbol = { .name = reader_u32(reader) };

	if (!elf_file_is_64(file)) {
		symbol.value = reader_u32(reader);
		symbol.size = reader_u32(reader);
	}
	symbol.info = reader_u8(reader);
	reader_u8(reader); /* visibility */
	symbol.section = reader_u16(reader);
	if (elf_file_is_64(file)) {
		symbol.value = reader_u64(reader);
		symbol.size = reader_u64(reader);
	}
	return symbol;
}

bool elf_symbol_address(const struct elf_file *file, const struct elf_symbol *symbol,
			uint64_t *ret_address)
{
	const struct elf_section *section = elf_file_section(file, symbol->section);

	if (symbol->section == SHN_UNDEF || symbol->section == SHN_ABS ||
	    symbol->section == SHN_COMMON)
		return false;
	*ret_address = symbol->value;
	if (!elf_file_is_relocatable(file))
		return true;
	if (!section || symbol->section >= SHN_LORESERVE)
		return false;
	*ret_address += section->address;
	return true;
}
