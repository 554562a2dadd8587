/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table that Go's runtime walks stacks with (.gopclntab): the functions of a program and their
 * flags. Programs linked without symbol tables (-ldflags=-s), as most released ones are, have it
 * too. The layouts are those of Go 1.2, 1.16, 1.18 and 1.20 (go:src/debug/gosym/pclntab.go,
 * go:src/internal/abi/symtab.go).
 */
#ifndef ELF_GO_TABLE_H
#define ELF_GO_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "elf/elf_file.h"
#include "elf/symbol_index.h"

enum { GO_TABLE_MAX = 1 << 23 }; /* functions */

struct go_table;

/* go:src/internal/abi/symtab.go, FuncFlag; since Go 1.17. */
enum go_function_flags {
	GO_FUNCTION_OUTERMOST = 1,
	GO_FUNCTION_WRITES_SP = 2, /* in ways that frame descriptions do not express */
	GO_FUNCTION_ASSEMBLY = 4,  /* since Go 1.18 */
};

struct go_function {
	uint64_t start, end; /* ELF virtual addresses */
	uint32_t name;	     /* offset in the names */
	uint8_t flags;	     /* enum go_function_flags; 0 in older programs */
	bool special;	     /* has a FuncID: known to the runtime, or a wrapper; since Go 1.16 */
};

/* The file's sections must have been read, and the file must outlive the table. NULL: no such
 * table, or an unknown layout. */
struct go_table *go_table_open(const struct elf_file *file);
void go_table_free(struct go_table *table); /* NULL is fine */
DEFINE_CLEANUP(struct go_table *, go_table_free);

/* The number of functions the table claims; at most GO_TABLE_MAX. */
uint64_t go_table_count(const struct go_table *table);
/* One of the functions, which are in ascending order. False: the table is damaged from here on, or
 * its addresses do not belong to the file. */
bool go_table_function(struct go_table *table, uint64_t index, struct go_function *ret_function);
bool go_table_is_named(struct go_table *table, const struct go_function *function,
		       const char *name);

/* Adds the functions to an index; the file's sections must have been read. False: no table, no
 * functions, or an unknown layout. *ret_all: the functions cover all code except the startup code
 * of the C library. C code that is linked in (cgo) has no names in this table. */
bool go_table_read(const struct elf_file *file, struct symbol_index *index, bool *ret_all);

#endif
