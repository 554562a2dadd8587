/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table Go's run time walks stacks with (.gopclntab): which functions a program has and what is
 * peculiar about them. It is there also when the program was linked without symbol tables
 * (-ldflags=-s), as most are that are shipped. The layouts of Go 1.2, 1.16, 1.18 and 1.20
 * (go:src/debug/gosym/pclntab.go, go:src/internal/abi/symtab.go).
 */
#ifndef ELF_GO_TABLE_H
#define ELF_GO_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "elf/elf_file.h"

enum { GO_TABLE_MAX = 1 << 23 }; /* functions */

struct go_table;

/* go:src/internal/abi/symtab.go, FuncFlag; since Go 1.17. */
enum go_function_flags {
	GO_FUNCTION_OUTERMOST = 1,
	GO_FUNCTION_WRITES_SP = 2, /* in ways that frame descriptions do not tell of */
	GO_FUNCTION_ASSEMBLY = 4,  /* since Go 1.18 */
};

struct go_function {
	uint64_t start, end; /* ELF virtual addresses */
	uint32_t name;	     /* where it begins among the names */
	uint8_t flags;	     /* enum go_function_flags; 0 of older programs */
};

/* The file's sections have been read, and it outlives the table. NULL: it has no such table, or one
 * of a layout that is not known. */
struct go_table *go_table_open(const struct elf_file *file);
void go_table_free(struct go_table *table); /* NULL is fine */
DEFINE_CLEANUP(struct go_table *, go_table_free);

/* How many functions it says it has; not above GO_TABLE_MAX. */
uint64_t go_table_count(const struct go_table *table);
/* The names, NUL-terminated ones, as a section of the file would have them. */
struct elf_section go_table_names(const struct go_table *table);
/* One of the functions, which are in ascending order. False: the table is damaged from there on, or
 * its addresses are not those of the file. */
bool go_table_function(struct go_table *table, uint64_t index, struct go_function *ret_function);

#endif
