/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a file that the dynamic linker fills with the address of a symbol (.rela.dyn and
 * .rela.plt: System V ABI, "Relocation"), most of them in the GOT: an instruction that loads such a
 * word is about that symbol.
 */
#ifndef CODE_GOT_WORDS_H
#define CODE_GOT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "elf/elf_file.h"

struct got_words;

struct got_word {
	uint64_t place; /* ELF virtual address of the word */
	uint64_t addend;
	uint32_t symbol; /* number in .dynsym; 0: what a function at the addend returns
			    (IRELATIVE) */
};

/* What .dynsym tells of a symbol. */
struct got_symbol {
	const char *name; /* borrowed from the words; "" when it is not there */
	uint64_t value;
	bool defined; /* in this file */
};

/* The file's sections have been read, and it is not needed afterwards. Words that are merely moved
 * by the load address are left out. A table that is damaged is left out. */
struct got_words *got_words_new(const struct elf_file *file);
void got_words_free(struct got_words *words); /* NULL is fine */
DEFINE_CLEANUP(struct got_words *, got_words_free);

/* Is there a .dynsym at all? Static programs have words and no symbols. */
bool got_words_has_symbols(const struct got_words *words);
/* The word at an address, borrowed; NULL: none. */
const struct got_word *got_words_find(const struct got_words *words, uint64_t place);
struct got_symbol got_words_symbol(const struct got_words *words, uint32_t symbol);
/* Appends the symbol's name with its version as objdump writes it. */
void got_words_print(const struct got_words *words, uint32_t symbol, struct buf *text);

#endif
