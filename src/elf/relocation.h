/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies the relocations that a linker would still apply to a section of a relocatable file: a
 * kernel module, its debug file, or an object file. Covers only what occurs in debug information
 * (addresses and offsets), numbered as in the processor supplements of the ELF ABI.
 */
#ifndef ELF_RELOCATION_H
#define ELF_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"

/* True if the section, one of the file's own, has relocations to apply. */
bool relocation_is_wanted(const struct elf_file *file, const struct elf_section *section);

/* Applies them to @bytes, the whole section uncompressed. Sections are where elf_file.h places
 * them; a reference to anything else becomes 0. -ENOTSUP: unknown relocation type; using the
 * section would give wrong values. */
int relocation_apply(const struct elf_file *file, const struct elf_section *section, void *bytes,
		     size_t size, struct err *err);

#endif
