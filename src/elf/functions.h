/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one ELF file as its symbol tables and PLT give them, unsorted and with aliases:
 * elf_symbols.c and plt.c produce them, settle.c sorts them out. Names stay as the file has them:
 * the string tables are kept one after the other, and a name is an offset into that.
 */
#ifndef ELF_FUNCTIONS_H
#define ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct elf_file;
struct elf_section;

/* How well a symbol names its address; greater is better. */
enum function_rank {
	FUNCTION_LOCAL = 0,
	FUNCTION_WEAK = 1,
	FUNCTION_GLOBAL = 2,
	FUNCTION_TYPED = 4, /* STT_FUNC or STT_GNU_IFUNC, not STT_NOTYPE */
	FUNCTION_SIZED = 8,
};

enum function_kind {
	FUNCTION_SYMBOL,
	FUNCTION_SLOT,	  /* a PLT slot, shown as name@plt */
	FUNCTION_SECTION, /* a whole PLT section, under its own name */
};

/* 24 bytes: a large program has a million of them. */
struct function {
	uint64_t start; /* ELF virtual address */
	uint32_t size;	/* bytes, at most 4 GiB - 1 */
	uint32_t name;	/* offset into names */
	uint32_t outer; /* set by settle.c: index of the nearest earlier function that ends later */
	uint8_t rank;	/* enum function_rank, or-ed */
	uint8_t kind;	/* enum function_kind */
};

struct functions {
	VEC(struct function) list;
	char *names; /* owned; NUL-terminated */
	size_t names_size;
	/* .dynsym as read, for the relocations that refer to it; owned; NULL: none */
	uint8_t *dynamic;
	size_t dynamic_size;
	uint32_t dynamic_names, dynamic_names_size; /* where its string table is in names */
};

/* Appends a string table to the names; *ret_base is the offset where it begins. */
int functions_read_names(struct functions *functions, const struct elf_file *file,
			 const struct elf_section *section, uint32_t *ret_base, struct err *err);
/* Appends one name and returns its offset. */
uint32_t functions_add_name(struct functions *functions, const char *name);
/* The name at an offset, borrowed until names are added; "" if there is none. */
const char *functions_name(const struct functions *functions, uint32_t name);
/* Length of a name without the symbol version ("@VERSION", "@@VERSION") that some tables append, up
 * to a limit that no real name reaches. */
size_t functions_name_length(const char *name);
/* Compares two names for one address. Sized is better than unsized, function than plain label,
 * global than weak than local; then fewer leading underscores, shorter, first in strcmp. Negative:
 * a is better; positive: b is better; 0: same name. */
int functions_compare(const struct functions *functions, const struct function *a,
		      const struct function *b);
/* Frees unused memory. @names: drops the names of functions that are not listed, too, if that saves
 * at least a quarter (this reads every name). */
void functions_compact(struct functions *functions, bool names);
/* Frees .dynsym. */
void functions_drop_dynamic(struct functions *functions);
void functions_done(struct functions *functions);

#endif
