/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the symbol tables of a stripped file: embedded in it (.gnu_debugdata) and in its debug
 * file. For a file that was not stripped, nothing is searched.
 */
#ifndef NAMES_DEBUG_FILES_SYMBOL_FILES_H
#define NAMES_DEBUG_FILES_SYMBOL_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "names/debug_files/debug_files.h"

enum { SYMBOL_FILES_MAX = 2 };

struct symbol_files {
	struct elf_file *files[SYMBOL_FILES_MAX]; /* their sections were read */
	size_t count;
	struct elf_file *debug; /* the debug file among these; NULL: none */
	char *debug_path;	/* its path */
	struct err why;		/* without a debug file: what was found and refused, or that nothing
				   was found */
	/* Private. */
	int fd;
	uint8_t *embedded;
};

/* @file's sections have been read; @path is its path, as we see it. @readers and the owner of @file
 * must be allowed to read the debug file; @readers NULL: only the owner. @pid: a process that has it
 * mapped, whose root may have the debug file; 0: none. */
void symbol_files_find(struct debug_files *debug_files, const struct elf_file *file,
		       const char *path, const struct readers *readers, int32_t pid,
		       struct symbol_files *ret_sources);
/* The same for a file that is not here: finds its debug file as debug_files_open does. */
void symbol_files_find_debug(struct debug_files *debug_files, const struct debug_wanted *wanted,
			     struct symbol_files *ret_sources);
void symbol_files_done(struct symbol_files *sources);

#endif
