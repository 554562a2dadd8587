/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a stripped file says the rest of it is: .gnu_debuglink (GDB manual, "Debugging Information
 * in Separate Files") and .gnu_debugdata ("MiniDebugInfo"). */
#ifndef ELF_DEBUG_LINK_H
#define ELF_DEBUG_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"

enum { DEBUG_LINK_MAX = 256 };

struct debug_link {
	char name[DEBUG_LINK_MAX]; /* without a slash */
	uint32_t checksum;	   /* of the whole file it names */
};

/* @file's sections have been read. False: it has no link, or a damaged one. */
bool debug_link_read(const struct elf_file *file, struct debug_link *ret_link);

/* The ELF file in .gnu_debugdata, made plain: *ret_bytes is the caller's to free. -ENODATA: there
 * is none. */
int debug_link_embedded(const struct elf_file *file, uint8_t **ret_bytes, size_t *ret_size,
			struct err *err);

#endif
