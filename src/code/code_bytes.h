/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine code of an ELF file by address. */
#ifndef CODE_CODE_BYTES_H
#define CODE_CODE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/elf_file.h"

/* The section of executable code that holds an address. */
struct code_place {
	size_t section;	      /* its number, as symbols have it */
	uint64_t start, stop; /* [start, stop): its ELF virtual addresses */
};

/* No function is larger than this. */
enum { CODE_BYTES_MAX = 64 << 20 };

/* Where an address lies; the file's sections have been read. -ENODATA: not in executable code. */
int code_bytes_place(const struct elf_file *file, uint64_t address, struct code_place *ret_place,
		     struct err *err);

/* Reads [start, stop), which lies in @place and is not empty, from the file. *ret_bytes is the
 * caller's to free. -EFBIG: more than CODE_BYTES_MAX. */
int code_bytes_read(const struct elf_file *file, const struct code_place *place, uint64_t start,
		    uint64_t stop, uint8_t **ret_bytes, struct err *err);

#endif
