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
	/* Private. */
	int fd;
	uint8_t *embedded;
};

/* @file's sections have been read; @path is where it is, as we see it. */
void symbol_files_find(struct debug_files *debug_files, const struct elf_file *file,
		       const char *path, struct symbol_files *ret_sources);
void symbol_files_done(struct symbol_files *sources);

#endif
