/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sorted index of the functions of one ELF file: which one an address belongs to. Built from
 * .symtab (or from .gopclntab of a Go program without it), .dynsym and the PLT. The file is not
 * needed afterwards.
 */
#ifndef NAMES_SYMTAB_H
#define NAMES_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/words.h"

struct symtab;
struct elf_file;
struct eh_ranges;
struct symbol_files;

struct symtab_hit {
	enum symbol_kind kind;
	uint64_t start; /* ELF virtual address */
	uint64_t size;	/* bytes; 0: unknown */
};

/* Reads the sections and symbols of @file, and symbols of @sources, files that have what was
 * stripped from it (NULL: none). A file without any is not an error: its addresses are
 * "[unknown]". */
int symtab_new(struct elf_file *file, const struct symbol_files *sources,
	       struct symtab **ret_symtab, struct err *err);
void symtab_free(struct symtab *symtab); /* NULL is fine */

/* True if there are names beyond the dynamic ones. */
bool symtab_is_complete(const struct symtab *symtab);
/* Number of functions, PLT slots included. */
size_t symtab_count(const struct symtab *symtab);
/* Memory held, in bytes. */
size_t symtab_bytes(const struct symtab *symtab);

/* The innermost function that covers @address: NAMED or PLT. If there is none:
 *   BRACKET: "a->b" between its neighbours in the section, "a->" or "->b" at the section's ends;
 *     start and size are the gap's, narrowed by @ranges (NULL: not known)
 *   NONE: "[.init]", a section without symbols, or "[unknown]" in a file without any
 * The name, as in the file, replaces the content of @name. */
void symtab_lookup(const struct symtab *symtab, const struct eh_ranges *ranges, uint64_t address,
		   struct buf *name, struct symtab_hit *ret_hit);

#endif
