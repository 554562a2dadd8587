/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a function reaches that has a symbol without a size, as assembler code has. In a file without
 * .symtab, functions without names may follow before the next symbol. The function ends with its frame
 * description, if one begins with it. Otherwise its instructions are followed from its start along their
 * jumps, and it ends where no instruction leads to the next one. For x86-64 and arm64.
 */
#ifndef ELF_CODE_EXTENTS_H
#define ELF_CODE_EXTENTS_H

#include <stdint.h>

#include "base/cleanup.h"
#include "elf/elf_file.h"

/* Code that is looked at for one function, and for all functions of a file. One that reaches further, and
 * those that come later, are taken to reach to their limit. */
enum { CODE_EXTENTS_MAX_BYTES = 64 * 1024, CODE_EXTENTS_MAX_TOTAL = 64 * 1024 * 1024 };

/* What is known of a file for this. */
struct code_extents;

/* The file's sections must have been read; it must outlive the result. */
struct code_extents *code_extents_new(const struct elf_file *file);
void code_extents_free(struct code_extents *extents); /* NULL is fine */
DEFINE_CLEANUP(struct code_extents *, code_extents_free);

/* Where the function ends that begins at @start, and at @limit at the latest, where the next symbol or
 * the end of its section is. ELF virtual addresses. The result is @limit if the instructions do not say:
 * for other machines, or if one of the function's own cannot be decoded, or jumps to an address that was
 * computed. */
uint64_t code_extents_end(struct code_extents *extents, uint64_t start, uint64_t limit);

#endif
