/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a file that the dynamic linker fills with the address of a symbol (.rela.dyn and
 * .rela.plt: System V ABI, "Relocation"). Most of them are in the GOT. An instruction that loads
 * such a word refers to that symbol.
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

/* A symbol's entry in .dynsym. */
struct got_symbol {
	const char *name; /* borrowed from the words; "" if missing */
	uint64_t value;
	bool defined; /* in this file */
};

/* The file's sections must have been read; the file is not needed afterwards. Words that are only
 * shifted by the load address are left out, and so are damaged tables. */
struct got_words *got_words_new(const struct elf_file *file);
void got_words_free(struct got_words *words); /* NULL is fine */
DEFINE_CLEANUP(struct got_words *, got_words_free);

/* True if there is a .dynsym. Static programs have words but no symbols. */
bool got_words_has_symbols(const struct got_words *words);
/* The word at an address, borrowed; NULL: none. */
const struct got_word *got_words_find(const struct got_words *words, uint64_t place);
struct got_symbol got_words_symbol(const struct got_words *words, uint32_t symbol);
/* Appends the symbol's name and version as objdump prints them. */
void got_words_print(const struct got_words *words, uint32_t symbol, struct buf *text);

#endif
