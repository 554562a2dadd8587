/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the symbol table of a stripped file is: embedded in it (.gnu_debugdata) and in its debug
 * file. Files that were not stripped are not searched for.
 */
#ifndef NAMES_DEBUG_FILES_SYMBOL_FILES_H
#define NAMES_DEBUG_FILES_SYMBOL_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "elf/elf_file.h"
#include "names/debug_files/debug_files.h"

enum { SYMBOL_FILES_MAX = 2 };

struct symbol_files {
	struct elf_file *files[SYMBOL_FILES_MAX]; /* their sections were read */
	size_t count;
	struct elf_file *debug; /* the one of these that is a debug file; NULL: none */
	char *debug_path;	/* where that is */
	struct err why;		/* without one: what was looked at and refused, or that nothing was
				   found */
	/* Private. */
	int fd;
	uint8_t *embedded;
};

/* @file's sections have been read; @path is where it is, as we see it. @readers must be allowed to
 * read the debug file, and so must the owner of @file; NULL: nobody else. */
void symbol_files_find(struct debug_files *debug_files, const struct elf_file *file,
		       const char *path, const struct readers *readers,
		       struct symbol_files *ret_sources);
/* The same of a file that is not here: its debug file, as debug_files_open. */
void symbol_files_find_debug(struct debug_files *debug_files, const struct debug_wanted *wanted,
			     struct symbol_files *ret_sources);
void symbol_files_done(struct symbol_files *sources);

#endif
