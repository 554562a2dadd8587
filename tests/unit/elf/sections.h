/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file of a single section, in memory. */
#ifndef TESTS_UNIT_ELF_SECTIONS_H
#define TESTS_UNIT_ELF_SECTIONS_H

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"

/* The section is number 1. Returns a descriptor; negative: it could not be made. */
static inline int sections_file(const char *name, uint64_t flags, const void *bytes, size_t size)
{
	Elf64_Shdr headers[3] = { { 0 } };
	Elf64_Ehdr header = { .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(*headers),
			      .e_shnum = 3,
			      .e_shstrndx = 2 };
	struct buf file = { 0 };
	int fd = memfd_create("sections", MFD_CLOEXEC);

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	buf_add(&file, &header, sizeof(header));
	headers[1] = (Elf64_Shdr){ .sh_name = 1,
				   .sh_type = SHT_PROGBITS,
				   .sh_flags = flags,
				   .sh_offset = file.size,
				   .sh_size = size };
	buf_add(&file, bytes, size);
	headers[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				   .sh_offset = file.size,
				   .sh_size = strlen(name) + 2 };
	buf_add(&file, "", 1);
	buf_add(&file, name, strlen(name) + 1);
	((Elf64_Ehdr *)file.bytes)->e_shoff = file.size;
	buf_add(&file, headers, sizeof(headers));
	if (write(fd, file.bytes, file.size) != (ssize_t)file.size)
		fd = -1;
	buf_done(&file);
	return fd;
}

#endif
