/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All functions of an ELF file with all their names, for those who look one up by name: aliases,
 * versions and indirect functions included. names/symtab.h answers the opposite question, and
 * keeps the best name of an address only.
 */
#ifndef NAMES_FUNCTION_LIST_H
#define NAMES_FUNCTION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "elf/elf_file.h"
#include "names/debug_files/debug_files.h"

struct function_list;

struct listed_function {
	uint64_t start;	  /* ELF virtual address */
	uint64_t size;	  /* bytes; 0: not told, and nothing follows */
	uint32_t name;	  /* function_list_name */
	uint32_t version; /* function_list_name; 0: none */
	bool old_version; /* not the one that programs linked now would get */
	bool indirect;	  /* STT_GNU_IFUNC: runs once, and says which function is meant */
	bool global;
	bool weak;
};

/* Reads the symbols of @file, whose sections have been read, and of what @debug_files has for it
 * if it was stripped; @path is where it is. Neither is needed afterwards. Damaged tables are left
 * out, a file without symbols is an empty list. */
struct function_list *function_list_new(const struct elf_file *file,
					struct debug_files *debug_files, const char *path);
void function_list_free(struct function_list *list); /* NULL is fine */
DEFINE_CLEANUP(struct function_list *, function_list_free);

/* By address, those of one address together. A symbol that is in several tables is there once. */
size_t function_list_count(const struct function_list *list);
/* @index < count. */
const struct listed_function *function_list_at(const struct function_list *list, size_t index);
/* The first at an address; the count where there is none. */
size_t function_list_find(const struct function_list *list, uint64_t address);
/* The last that begins at or before an address and, where its size is told, reaches it; NULL: none.
 * Of several names a global one. */
const struct listed_function *function_list_around(const struct function_list *list,
						   uint64_t address);
/* Borrowed. */
const char *function_list_name(const struct function_list *list, uint32_t name);

/* Were there names beyond the dynamic ones? */
bool function_list_is_complete(const struct function_list *list);
/* Does the file call a function of that name which is elsewhere? */
bool function_list_imports(const struct function_list *list, const char *name);

#endif
