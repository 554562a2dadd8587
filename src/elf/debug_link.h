/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the rest of a stripped file is: .gnu_debuglink (GDB manual, "Debugging Information in
 * Separate Files") and .gnu_debugdata ("MiniDebugInfo"). */
#ifndef ELF_DEBUG_LINK_H
#define ELF_DEBUG_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"

enum { DEBUG_LINK_MAX = 256 };

struct debug_link {
	char name[DEBUG_LINK_MAX]; /* without a slash */
	uint32_t checksum;	   /* of the whole debug file */
};

/* The file's sections must have been read. False: no link, or a damaged one. */
bool debug_link_read(const struct elf_file *file, struct debug_link *ret_link);

/* Decompresses the ELF file in .gnu_debugdata. The caller frees *ret_bytes. -ENODATA: the file has
 * no such section. */
int debug_link_embedded(const struct elf_file *file, uint8_t **ret_bytes, size_t *ret_size,
			struct err *err);

#endif
