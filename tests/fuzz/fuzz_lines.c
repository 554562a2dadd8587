/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information. An input begins with the sizes of its sections, two bytes each, least
 * significant first, in the order of `names`; the sections follow. An ELF file is wrapped around
 * them. make_lines_corpus makes inputs of what compilers write.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/unit_map.h"
#include "dwarf/unit_walk.h"
#include "target.h"

enum { TEXT_ADDRESS = 0x1000, TEXT_SIZE = 0x100000, MOST_LEVELS = 16 };

static const char *const names[] = { ".debug_info",	".debug_abbrev",      ".debug_str",
				     ".debug_line",	".debug_line_str",    ".debug_ranges",
				     ".debug_rnglists", ".debug_str_offsets", ".debug_addr" };

enum { GIVEN = sizeof(names) / sizeof(*names), SECTIONS = GIVEN + 3 };

static void add_section(struct buf *file, struct buf *texts, Elf64_Shdr *header, const char *name,
			const void *bytes, size_t size)
{
	header->sh_name = (Elf64_Word)texts->size;
	header->sh_type = SHT_PROGBITS;
	header->sh_offset = file->size;
	header->sh_size = size;
	buf_add(texts, name, strlen(name) + 1);
	buf_add(file, bytes, size);
}

static void add_header(struct buf *file)
{
	Elf64_Ehdr header = { .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = SECTIONS,
			      .e_shstrndx = SECTIONS - 1 };

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	buf_add(file, &header, sizeof(header));
}

/* The file around the sections of an input, in memory. */
static int wrap(const uint8_t *bytes, size_t size)
{
	Elf64_Shdr headers[SECTIONS] = { { 0 } };
	struct buf file = { 0 }, texts = { 0 };
	size_t at = (size_t)2 * GIVEN;
	int fd = memfd_create("input", MFD_CLOEXEC);

	add_header(&file);
	buf_add_char(&texts, '\0');
	add_section(&file, &texts, &headers[1], ".text", NULL, 0);
	headers[1] = (Elf64_Shdr){ .sh_name = headers[1].sh_name,
				   .sh_type = SHT_NOBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = TEXT_ADDRESS,
				   .sh_size = TEXT_SIZE };
	for (size_t i = 0; i < GIVEN; i++) {
		size_t length = bytes[2 * i] | (size_t)bytes[2 * i + 1] << 8;

		length = length < size - at ? length : size - at;
		add_section(&file, &texts, &headers[i + 2], names[i], bytes + at, length);
		at += length;
	}
	add_section(&file, &texts, &headers[SECTIONS - 1], ".shstrtab", NULL, 0);
	headers[SECTIONS - 1].sh_type = SHT_STRTAB;
	headers[SECTIONS - 1].sh_size = texts.size;
	buf_add(&file, texts.bytes, texts.size);
	((Elf64_Ehdr *)file.bytes)->e_shoff = file.size;
	buf_add(&file, headers, sizeof(headers));
	if (fd < 0 || write(fd, file.bytes, file.size) != (ssize_t)file.size)
		abort();
	buf_done(&file);
	buf_done(&texts);
	return fd;
}

/* What was made of a unit is what would be believed when it comes from the cache, and can be asked
 * about every address. */
static void check_unit(struct line_unit *made)
{
	struct line_place places[MOST_LEVELS];
	size_t size;
	const void *block = line_unit_block(made, &size);
	void *copy = malloc(size);

	if (!copy)
		abort();
	memcpy(copy, block, size);
	if (!line_unit_adopt(copy, size))
		abort();
	for (uint64_t address = TEXT_ADDRESS; address < TEXT_ADDRESS + 0x400; address++)
		line_unit_find(made, address, places, MOST_LEVELS);
	free(copy);
}

static void check_file(struct dwarf_file *file)
{
	const struct unit_code code = { file->elf };
	struct interval_map map;
	bool complete;

	unit_map_read(file, &code, &map);
	interval_map_find(&map, TEXT_ADDRESS);
	interval_map_done(&map);
	for (size_t i = 0; i < file->units.count && i < MOST_LEVELS; i++) {
		struct line_unit *made = unit_walk(file->units.items[i], &code, &complete);

		check_unit(made);
		line_unit_free(made);
	}
	dwarf_file_forget(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct dwarf_file *file;

	if (size < (size_t)2 * GIVEN)
		return 0;
	if (dwarf_file_open(wrap(bytes, size), NULL, &file, NULL) < 0)
		return 0;
	check_file(file);
	dwarf_file_free(file);
	return 0;
}
