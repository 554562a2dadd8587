/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a linker would still have to write into a section of a relocatable file: kernel modules and
 * their debug files, and objects that no program was made of. Only what stands in debug
 * information: addresses and offsets, as the processor supplements of the ELF ABI number them.
 */
#ifndef ELF_RELOCATION_H
#define ELF_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"

/* Has the section, one of the file's own, anything to be written into? */
bool relocation_is_wanted(const struct elf_file *file, const struct elf_section *section);

/* Writes it into @bytes, all of the section's plain ones; sections are where elf_file.h places
 * them, and what refers to none becomes 0. -ENOTSUP: a kind that is not known, which would make
 * what is there wrong. */
int relocation_apply(const struct elf_file *file, const struct elf_section *section, void *bytes,
		     size_t size, struct err *err);

#endif
