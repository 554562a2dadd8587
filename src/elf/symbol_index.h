/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of one ELF file from .symtab, .dynsym and what else names code (PLT, Go's table),
 * sorted by address. Views of it: the function an address belongs to (symbol_index_settle), all
 * functions (names/function_list.h), all labels (code/code_labels.h). Names stay as the file has
 * them: the string tables are kept one after the other, and a name is an offset into that.
 */
#ifndef ELF_SYMBOL_INDEX_H
#define ELF_SYMBOL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "elf/elf_file.h"

/* One entry of a symbol table (ELF gABI "Symbol Table"). */
struct elf_symbol {
	uint64_t value, size;
	uint32_t name; /* offset into the linked string table */
	uint16_t section;
	uint8_t info; /* type and binding */
};

enum entry_source {
	ENTRY_SYMTAB,
	ENTRY_DYNSYM,
	ENTRY_GO,
	ENTRY_SLOT,    /* a PLT slot, shown as name@plt */
	ENTRY_SECTION, /* a section, under its own name */
};

/* 24 bytes: a large program has a million of them. */
struct symbol_entry {
	uint64_t start; /* ELF virtual address */
	uint32_t size;	/* bytes, at most 4 GiB - 1 */
	uint32_t name;	/* offset into names */
	union {
		uint32_t index; /* in its symbol table */
		uint32_t outer; /* after symbol_index_settle */
	};
	uint16_t section; /* number, as in the symbol table */
	uint8_t info;	  /* type and binding */
	uint8_t source;	  /* enum entry_source */
};

struct symbol_index {
	VEC(struct symbol_entry) list;
	char *names; /* owned; NUL-terminated */
	size_t names_size;
	/* .dynsym as read, for what refers to its entries by number; owned; NULL: none */
	uint8_t *dynamic;
	size_t dynamic_size;
	uint32_t dynamic_names, dynamic_names_size; /* where its string table is in names */
	bool is_64, swap;			    /* how to read it */
};

#define SYMBOL_INDEX_NONE UINT32_MAX

/* Reads the next entry of a file's table. If it is incomplete, the result is all zeroes and
 * reader->bad is set. */
struct elf_symbol symbol_index_next(bool is_64, struct reader *reader);
/* The address a symbol stands for, an ELF virtual address. In a relocatable file a symbol's value
 * counts from the start of its section. False: the symbol is not defined in this file. */
bool symbol_index_address(const struct elf_file *file, const struct elf_symbol *symbol,
			  uint64_t *ret_address);

/* Each adds to the index; the file's sections must have been read. Damaged tables are skipped.
 * read: the functions of all symbol tables. read_static: of .symtab only, for a file that holds
 * another file's symbols. Both: true if .symtab named at least one. read_labels: every defined
 * symbol, data too, of .symtab (.dynsym if there is no .symtab), as plain values; and the sections
 * ".plt", ".got" and ".plt.got" that have symbols. */
bool symbol_index_read(struct symbol_index *index, const struct elf_file *file);
bool symbol_index_read_static(struct symbol_index *index, const struct elf_file *file);
void symbol_index_read_labels(struct symbol_index *index, const struct elf_file *file);

/* The number of entries of .dynsym; entry 0 is no symbol. */
size_t symbol_index_dynamic_count(const struct symbol_index *index);
/* An entry of .dynsym by its number, with the offset of its name in the index's names. False: there
 * is none, or it has no name. */
bool symbol_index_dynamic(const struct symbol_index *index, uint32_t number,
			  struct elf_symbol *ret_symbol);

/* Appends a string table to the names; *ret_base is the offset where it begins. */
int symbol_index_read_names(struct symbol_index *index, const struct elf_file *file,
			    const struct elf_section *section, uint32_t *ret_base, struct err *err);
/* Appends one name and returns its offset. */
uint32_t symbol_index_add_name(struct symbol_index *index, const char *name);
/* The name at an offset, borrowed until names are added; "" if there is none. */
const char *symbol_index_name(const struct symbol_index *index, uint32_t name);
/* Length of a name without the symbol version ("@VERSION", "@@VERSION") that some tables append, up
 * to a limit that no real name reaches. */
size_t symbol_index_name_length(const char *name);

/* Compares two names for one address: struct symbol_entry, context struct symbol_index. Sized is
 * better than unsized, function than plain label, global than weak than local; then fewer leading
 * underscores, shorter, first in strcmp. Negative: a is better; 0: same name. */
int symbol_index_compare(const void *a, const void *b, void *context);
/* Sorts by start, and what starts at one address by @compare, which gets @context. */
void symbol_index_sort(struct symbol_index *index,
		       int (*compare)(const void *a, const void *b, void *context), void *context);
/* Puts functions in order: sorts them, keeps the best name of aliases (and worse ones only where
 * they reach further), extends functions without a size to the next one or the end of their section
 * of @file, and drops labels inside a function. Afterwards functions that begin at one address are
 * in order, outermost first, and `outer` is the index of the nearest earlier one that ends later,
 * or SYMBOL_INDEX_NONE. @complete: all functions have symbols. Otherwise one without a size may end
 * before the next symbol (elf/code_extents.h). */
void symbol_index_settle(struct symbol_index *index, const struct elf_file *file, bool complete);
/* Frees .dynsym and unused memory. @names: drops the names of functions that are not listed, too,
 * if that saves at least a quarter (this reads every name). */
void symbol_index_compact(struct symbol_index *index, bool names);
void symbol_index_done(struct symbol_index *index);

#endif
