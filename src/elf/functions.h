/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one ELF file as its symbol tables and PLT give them, before anything is settled:
 * what elf_symbols.c and plt.c produce and symtab.c sorts out. Names stay where the file had them:
 * the string tables are kept, one behind the other, and a name is an offset into that.
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

/* How good a name for its address a symbol is: the greater the better. */
enum function_rank {
	FUNCTION_LOCAL = 0,
	FUNCTION_WEAK = 1,
	FUNCTION_GLOBAL = 2,
	FUNCTION_TYPED = 4, /* STT_FUNC or STT_GNU_IFUNC, not STT_NOTYPE */
	FUNCTION_SIZED = 8,
};

enum function_kind {
	FUNCTION_SYMBOL,
	FUNCTION_SLOT,	  /* of a PLT: shown as name@plt */
	FUNCTION_SECTION, /* a whole PLT section under its own name */
};

/* 24 bytes: a large program has a million of them. */
struct function {
	uint64_t start; /* ELF virtual address */
	uint32_t size;	/* bytes, cut at 4 GiB */
	uint32_t name;	/* offset into names */
	uint32_t outer; /* symtab.c: the next one before it that ends later */
	uint8_t rank;	/* enum function_rank, or-ed */
	uint8_t kind;	/* enum function_kind */
};

struct functions {
	VEC(struct function) list;
	char *names; /* owned; NUL-terminated */
	size_t names_size;
	/* .dynsym as it was read, for the relocations that refer to it; owned, NULL: none */
	uint8_t *dynamic;
	size_t dynamic_size;
	uint32_t dynamic_names, dynamic_names_size; /* its part of the names */
};

/* Reads a string table behind the names there are; *ret_base is where it begins. */
int functions_read_names(struct functions *functions, const struct elf_file *file,
			 const struct elf_section *section, uint32_t *ret_base, struct err *err);
/* Appends one name and returns its offset. */
uint32_t functions_add_name(struct functions *functions, const char *name);
/* The name at an offset, borrowed until names are added; "" when there is none. */
const char *functions_name(const struct functions *functions, uint32_t name);
/* How long it is without the symbol version ("@VERSION", "@@VERSION") some tables append,
 * cut at a limit no honest name reaches. */
size_t functions_name_length(const char *name);
/* Is a the better name for an address that b has as well? Sized over unsized, functions over plain
 * labels, global over weak over local, then fewer leading underscores, shorter, first in strcmp.
 * Negative: a, positive: b, 0: the same name. */
int functions_compare(const struct functions *functions, const struct function *a,
		      const struct function *b);
/* Gives back room that is not needed. @names: also the names of what is not listed, where that is
 * much of the tables they came from (it costs a look at every name). */
void functions_compact(struct functions *functions, bool names);
/* Gives up .dynsym. */
void functions_drop_dynamic(struct functions *functions);
void functions_done(struct functions *functions);

#endif
