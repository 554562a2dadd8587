/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a file that the dynamic linker fills with the address of a symbol (.rela.dyn and
 * .rela.plt: System V ABI, "Relocation"), and the slots of the procedure linkage table, which jump
 * through them. Most words are in the GOT. A word's relocation says which function a slot stands
 * for (System V ABI, "Procedure Linkage Table"; layouts as GNU ld, gold, lld and mold write them on
 * x86-64, i386 and arm64).
 */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include "base/cleanup.h"
#include "elf/elf_file.h"
#include "elf/symbol_index.h"

struct plt_words;

struct plt_word {
	uint64_t place; /* ELF virtual address */
	uint64_t addend;
	uint32_t symbol; /* number in .dynsym; 0: what a function at the addend returns
			    (IRELATIVE) */
};

/* The file's sections must have been read; the file is not needed afterwards. Words that are only
 * shifted by the load address are left out, and so are damaged tables. */
struct plt_words *plt_words_new(const struct elf_file *file);
void plt_words_free(struct plt_words *words); /* NULL is fine */
DEFINE_CLEANUP(struct plt_words *, plt_words_free);
/* The word at an address, borrowed; NULL: none. */
const struct plt_word *plt_words_find(const struct plt_words *words, uint64_t place);

/* Adds every slot that can be identified, as ENTRY_SLOT with the plain name of its function, and
 * each whole PLT section under its own name for the rest. Call after symbol_index_read: a slot of
 * an indirect function takes the name of the symbol at its resolver. */
void plt_read(const struct elf_file *file, struct symbol_index *index);

/* Adds the slots that objdump labels, under its names: of the word's symbol, or "*ABS*+0x1234" with
 * the resolver's address if the relocation has no symbol. */
void plt_read_as_objdump(const struct elf_file *file, const struct plt_words *words,
			 struct symbol_index *index);

#endif
