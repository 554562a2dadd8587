/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file of 64 bits in memory around sections of debug information, for targets whose inputs
 * are these sections alone. */
#ifndef TESTS_FUZZ_WRAPPED_SECTIONS_H
#define TESTS_FUZZ_WRAPPED_SECTIONS_H

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/reader.h"

enum { TEXT_ADDRESS = 0x1000, TEXT_SIZE = 0x100000, MOST_WRAPPED = 16 };

static inline void add_wrapped(struct buf *file, struct buf *texts, Elf64_Shdr *header,
			       const char *name, const void *bytes, size_t size)
{
	header->sh_name = (Elf64_Word)texts->size;
	header->sh_type = SHT_PROGBITS;
	header->sh_offset = file->size;
	header->sh_size = size;
	buf_add(texts, name, strlen(name) + 1);
	buf_add(file, bytes, size);
}

static inline void add_elf_header(struct buf *file, unsigned sections)
{
	Elf64_Ehdr header = { .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = (Elf64_Half)sections,
			      .e_shstrndx = (Elf64_Half)(sections - 1) };

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	buf_add(file, &header, sizeof(header));
}

/* A descriptor of the file: .text, and the sections @names with what is next in @bytes of @sizes.
 */
static inline int wrap_sections(const char *const *names, const uint16_t *sizes, unsigned count,
				struct reader *bytes)
{
	Elf64_Shdr headers[MOST_WRAPPED + 3] = { { 0 } };
	struct buf file = { 0 }, texts = { 0 };
	unsigned last = count + 2;
	int fd = memfd_create("input", MFD_CLOEXEC);

	add_elf_header(&file, last + 1);
	buf_add_char(&texts, '\0');
	add_wrapped(&file, &texts, &headers[1], ".text", NULL, 0);
	headers[1] = (Elf64_Shdr){ .sh_name = headers[1].sh_name,
				   .sh_type = SHT_NOBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = TEXT_ADDRESS,
				   .sh_size = TEXT_SIZE };
	for (unsigned i = 0; i < count; i++) {
		size_t left = reader_left(bytes), size = sizes[i] < left ? sizes[i] : left;

		add_wrapped(&file, &texts, &headers[i + 2], names[i], reader_bytes(bytes, size),
			    size);
	}
	add_wrapped(&file, &texts, &headers[last], ".shstrtab", NULL, 0);
	headers[last].sh_type = SHT_STRTAB;
	headers[last].sh_size = texts.size;
	buf_add(&file, texts.bytes, texts.size);
	((Elf64_Ehdr *)file.bytes)->e_shoff = file.size;
	buf_add(&file, headers, (last + 1) * sizeof(*headers));
	if (fd < 0 || write(fd, file.bytes, file.size) != (ssize_t)file.size)
		abort();
	buf_done(&file);
	buf_done(&texts);
	return fd;
}

#endif
