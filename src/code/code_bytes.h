/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code of an ELF file, by address. */
#ifndef CODE_CODE_BYTES_H
#define CODE_CODE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/elf_file.h"

/* The section of executable code that holds an address. */
struct code_place {
	size_t section;	      /* section number, as in symbols */
	uint64_t start, stop; /* [start, stop): its ELF virtual addresses */
};

/* No function is larger than this. */
enum { CODE_BYTES_MAX = 64 << 20 };

/* Finds the section with an address; the file's sections must have been read. -ENODATA: not in
 * executable code. */
int code_bytes_place(const struct elf_file *file, uint64_t address, struct code_place *ret_place,
		     struct err *err);

/* Reads [start, stop), a non-empty range of @place, from the file. The caller frees *ret_bytes.
 * -EFBIG: more than CODE_BYTES_MAX. */
int code_bytes_read(const struct elf_file *file, const struct code_place *place, uint64_t start,
		    uint64_t stop, uint8_t **ret_bytes, struct err *err);

#endif
