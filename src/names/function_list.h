/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All functions of an ELF file with all their names, for lookups by name: includes aliases,
 * versions and indirect functions. names/symtab.h answers the opposite question, and keeps only the
 * best name of an address.
 */
#ifndef NAMES_FUNCTION_LIST_H
#define NAMES_FUNCTION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "elf/elf_file.h"
#include "names/debug_files/debug_files.h"

struct function_list;

struct listed_function {
	uint64_t start;	  /* ELF virtual address */
	uint64_t size;	  /* bytes; from the table, else up to the next function or the section's
			     end, or before that (elf/code_extents.h) if the list is not complete */
	uint32_t name;	  /* function_list_name */
	uint32_t version; /* function_list_name; 0: none */
	bool old_version; /* not the version that newly linked programs get */
	bool indirect;	  /* STT_GNU_IFUNC: a resolver, which runs once and returns the function to
			     use */
	bool global;
};

/* Reads the symbols of @file, whose sections have been read. If it was stripped, also reads those
 * that @debug_files has for it; @path is its path. Neither is needed afterwards. Damaged tables are
 * left out; a file without symbols gives an empty list. */
struct function_list *function_list_new(const struct elf_file *file,
					struct debug_files *debug_files, const char *path);
void function_list_free(struct function_list *list); /* NULL is fine */
DEFINE_CLEANUP(struct function_list *, function_list_free);

/* The list is sorted by address, best name of an address first. A symbol in several tables is there
 * once. */
size_t function_list_count(const struct function_list *list);
/* @index < count. */
const struct listed_function *function_list_at(const struct function_list *list, size_t index);
/* The index of the first at an address; the count if there is none. */
size_t function_list_find(const struct function_list *list, uint64_t address);
/* The last function that begins at or before the address, by its best name; NULL: none, or it does
 * not reach the address. */
const struct listed_function *function_list_around(const struct function_list *list,
						   uint64_t address);
/* The text of a name or version; borrowed. */
const char *function_list_name(const struct function_list *list, uint32_t name);

/* True if there were names beyond the dynamic ones. */
bool function_list_is_complete(const struct function_list *list);
/* True if the file imports a function of that name. */
bool function_list_imports(const struct function_list *list, const char *name);

#endif
