/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frame descriptions, and files of rows. The first byte says what the others are: bit 0
 * .debug_frame and not .eh_frame, bit 1 arm64, bit 2 the other byte order, bit 7 a file of rows,
 * whose checksum is corrected first. A section is wrapped in an ELF file.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_file.h"
#include "target.h"
#include "unwind/row_file.h"
#include "unwind/row_table.h"

enum {
	IS_DEBUG_FRAME = 1,
	IS_ARM64 = 2,
	IS_SWAPPED = 4,
	IS_ROW_FILE = 0x80,
	TEXT_ADDRESS = 0x1000,
	TEXT_SIZE = 0x100000,
	FRAMES_ADDRESS = 0x200000,
	SECTIONS = 4,
};

struct wrapping {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
	char names[32];
	uint8_t frames[];
};

/* The reader swaps what is in the section, libelf the headers: these stay in our order. */
static struct wrapping *wrap(uint8_t what, const uint8_t *bytes, size_t size)
{
	static const char names[] = "\0.text\0.debug_frame\0.eh_frame";
	struct wrapping *wrapping = calloc(1, sizeof(*wrapping) + size);

	if (!wrapping)
		abort();
	memcpy(wrapping->header.e_ident, ELFMAG, SELFMAG);
	wrapping->header.e_ident[EI_CLASS] = ELFCLASS64;
	wrapping->header.e_ident[EI_DATA] = what & IS_SWAPPED ? ELFDATA2MSB : ELFDATA2LSB;
	wrapping->header.e_ident[EI_VERSION] = EV_CURRENT;
	wrapping->header.e_type = ET_DYN;
	wrapping->header.e_machine = what & IS_ARM64 ? EM_AARCH64 : EM_X86_64;
	wrapping->header.e_version = EV_CURRENT;
	wrapping->header.e_ehsize = sizeof(Elf64_Ehdr);
	wrapping->header.e_shoff = offsetof(struct wrapping, sections);
	wrapping->header.e_shentsize = sizeof(Elf64_Shdr);
	wrapping->header.e_shnum = SECTIONS;
	wrapping->header.e_shstrndx = 3;
	memcpy(wrapping->names, names, sizeof(names));
	wrapping->sections[1] = (Elf64_Shdr){ .sh_name = 1,
					      .sh_type = SHT_NOBITS,
					      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					      .sh_addr = TEXT_ADDRESS,
					      .sh_size = TEXT_SIZE };
	wrapping->sections[2] = (Elf64_Shdr){ .sh_name = what & IS_DEBUG_FRAME ? 7 : 20,
					      .sh_type = SHT_PROGBITS,
					      .sh_flags = SHF_ALLOC,
					      .sh_addr = FRAMES_ADDRESS,
					      .sh_offset = offsetof(struct wrapping, frames),
					      .sh_size = size };
	wrapping->sections[3] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					      .sh_offset = offsetof(struct wrapping, names),
					      .sh_size = sizeof(wrapping->names) };
	memcpy(wrapping->frames, bytes, size);
	return wrapping;
}

static uint16_t swap16(uint16_t value)
{
	return __builtin_bswap16(value);
}

/* Headers in the other byte order. */
static void swap_headers(struct wrapping *wrapping)
{
	wrapping->header.e_type = swap16(wrapping->header.e_type);
	wrapping->header.e_machine = swap16(wrapping->header.e_machine);
	wrapping->header.e_version = __builtin_bswap32(wrapping->header.e_version);
	wrapping->header.e_ehsize = swap16(wrapping->header.e_ehsize);
	wrapping->header.e_shoff = __builtin_bswap64(wrapping->header.e_shoff);
	wrapping->header.e_shentsize = swap16(wrapping->header.e_shentsize);
	wrapping->header.e_shnum = swap16(wrapping->header.e_shnum);
	wrapping->header.e_shstrndx = swap16(wrapping->header.e_shstrndx);
	for (int i = 0; i < SECTIONS; i++) {
		Elf64_Shdr *section = &wrapping->sections[i];

		section->sh_name = __builtin_bswap32(section->sh_name);
		section->sh_type = __builtin_bswap32(section->sh_type);
		section->sh_flags = __builtin_bswap64(section->sh_flags);
		section->sh_addr = __builtin_bswap64(section->sh_addr);
		section->sh_offset = __builtin_bswap64(section->sh_offset);
		section->sh_size = __builtin_bswap64(section->sh_size);
	}
}

static void require(bool right)
{
	if (!right)
		abort();
}

/* Every page can be searched. */
static void search(const struct unwind_table *rows)
{
	for (uint32_t page = 0; page < rows->page_count; page++) {
		uint64_t address = rows->base + ((uint64_t)page << UNWIND_PAGE_BITS);
		const struct unwind_rule *rule = row_table_find(rows, address + 0xfff);

		require(!rule || (rule > rows->rules && rule < rows->rules + rows->rule_count));
		row_table_find(rows, address);
	}
	require(!row_table_find(rows, rows->base - 1));
}

/* What was compiled is what would be believed when it is read. */
static void check_compiled(const struct row_table *table)
{
	struct row_table *read;
	size_t size;
	const void *bytes = row_file_bytes(table, &size);

	require(row_file_read(bytes, size, &read, NULL) == 0);
	search(row_table_rows(read));
	row_table_free(read);
}

static void try_frames(uint8_t what, const uint8_t *bytes, size_t size)
{
	struct wrapping *wrapping = wrap(what, bytes, size);
	struct elf_file *file;
	struct row_table *table;

	if (what & IS_SWAPPED)
		swap_headers(wrapping);
	require(elf_file_open_memory(wrapping, sizeof(*wrapping) + size, &file, NULL) == 0);
	require(elf_file_read_sections(file, NULL) == 0);
	if (row_table_compile(file, NULL, &table, NULL) == 0) {
		check_compiled(table);
		row_table_free(table);
	}
	elf_file_free(file);
	free(wrapping);
}

static void try_row_file(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct row_table *table;

	require(copy);
	memcpy(copy, bytes, size);
	row_file_seal(copy, size);
	if (row_file_read(copy, size, &table, NULL) == 0) {
		search(row_table_rows(table));
		row_table_free(table);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	if (bytes[0] & IS_ROW_FILE)
		try_row_file(bytes + 1, size - 1);
	else
		try_frames(bytes[0], bytes + 1, size - 1);
	return 0;
}
