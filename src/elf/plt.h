/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the slots of a procedure linkage table. A slot jumps through a word of the GOT, and
 * that word's relocation says which function it stands for (System V ABI, "Procedure Linkage
 * Table"; layouts as GNU ld, gold, lld and mold write them on x86-64 and arm64).
 */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include "elf/elf_file.h"
#include "elf/functions.h"

/* Adds every slot that can be identified, as FUNCTION_SLOT with the plain name of its function, and
 * each whole PLT section under its own name for the rest. Call after elf_symbols_read: a slot of an
 * indirect function takes the name of the symbol at its resolver. */
void plt_read(const struct elf_file *file, struct functions *functions);

#endif
