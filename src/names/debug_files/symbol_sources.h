/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the symbol table of a stripped file is: embedded in it (.gnu_debugdata) and in its debug
 * file. Files that were not stripped are not searched for.
 */
#ifndef NAMES_DEBUG_FILES_SYMBOL_SOURCES_H
#define NAMES_DEBUG_FILES_SYMBOL_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "elf/elf_file.h"
#include "names/debug_files/debug_files.h"

enum { SYMBOL_SOURCES_MAX = 2 };

struct symbol_sources {
	struct elf_file *files[SYMBOL_SOURCES_MAX]; /* their sections were read */
	size_t count;
	/* Private. */
	int fd;
	uint8_t *embedded;
};

/* @file's sections have been read; @path is where it is, as we see it. */
void symbol_sources_find(struct debug_files *debug_files, const struct elf_file *file,
			 const char *path, struct symbol_sources *ret_sources);
void symbol_sources_done(struct symbol_sources *sources);

#endif
