/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files with debug information, made byte by byte: what no compiler would write. */
#ifndef TESTS_UNIT_DWARF_CRAFTED_H
#define TESTS_UNIT_DWARF_CRAFTED_H

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"

enum { CRAFTED_MAX = 12, CRAFTED_TEXT = 0x1000, CRAFTED_TEXT_SIZE = 0x1000 };

struct crafted {
	struct {
		const char *name;
		struct buf bytes;
	} sections[CRAFTED_MAX];
	size_t count;
};

/* The contents of a section, to append to. */
static inline struct buf *crafted_section(struct crafted *crafted, const char *name)
{
	for (size_t i = 0; i < crafted->count; i++) {
		if (strcmp(crafted->sections[i].name, name) == 0)
			return &crafted->sections[i].bytes;
	}
	crafted->sections[crafted->count].name = name;
	return &crafted->sections[crafted->count++].bytes;
}

static inline void crafted_number(struct buf *buf, uint64_t value, size_t size)
{
	buf_add(buf, &value, size); /* the host's byte order, and so the file's */
}

static inline void crafted_string(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text) + 1);
}

static inline void crafted_done(struct crafted *crafted)
{
	for (size_t i = 0; i < crafted->count; i++)
		buf_done(&crafted->sections[i].bytes);
	crafted->count = 0;
}

static inline Elf64_Shdr crafted_text_header(struct buf *names)
{
	Elf64_Shdr header = { .sh_name = (Elf64_Word)names->size,
			      .sh_type = SHT_NOBITS,
			      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			      .sh_addr = CRAFTED_TEXT,
			      .sh_size = CRAFTED_TEXT_SIZE };

	crafted_string(names, ".text");
	return header;
}

/* The file in memory: the sections, with .text at CRAFTED_TEXT in front. */
static inline int crafted_file(const struct crafted *crafted)
{
	Elf64_Shdr headers[CRAFTED_MAX + 3] = { { 0 } };
	struct buf names = { 0 }, file = { 0 };
	Elf64_Ehdr header = { .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = (Elf64_Half)(crafted->count + 3) };
	int fd = memfd_create("crafted", MFD_CLOEXEC);

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	header.e_shstrndx = (Elf64_Half)(crafted->count + 2);
	buf_add(&file, &header, sizeof(header));
	crafted_string(&names, "");
	headers[1] = crafted_text_header(&names);
	for (size_t i = 0; i < crafted->count; i++) {
		const struct buf *bytes = &crafted->sections[i].bytes;

		headers[i + 2] = (Elf64_Shdr){ .sh_name = (Elf64_Word)names.size,
					       .sh_type = SHT_PROGBITS,
					       .sh_offset = file.size,
					       .sh_size = bytes->size };
		crafted_string(&names, crafted->sections[i].name);
		buf_add(&file, bytes->bytes, bytes->size);
	}
	headers[crafted->count + 2] = (Elf64_Shdr){ .sh_name = (Elf64_Word)names.size,
						    .sh_type = SHT_STRTAB,
						    .sh_offset = file.size };
	crafted_string(&names, ".shstrtab");
	headers[crafted->count + 2].sh_size = names.size;
	buf_add(&file, names.bytes, names.size);
	((Elf64_Ehdr *)file.bytes)->e_shoff = file.size;
	buf_add(&file, headers, (crafted->count + 3) * sizeof(*headers));
	if (write(fd, file.bytes, file.size) != (ssize_t)file.size)
		fd = -1;
	buf_done(&names);
	buf_done(&file);
	return fd;
}

#endif
