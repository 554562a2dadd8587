/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined functions of one file. A compile unit is indexed when an address in it
 * is first looked up, and kept on disk. A file whose units are all kept is not even opened.
 */
#ifndef NAMES_LINES_LINE_FILE_H
#define NAMES_LINES_LINE_FILE_H

#include "base/cache_folder.h"
#include "base/cleanup.h"
#include "dwarf/line_unit.h"
#include "names/debug_files/debug_files.h"

struct dwarf_file;
struct dwarf_unit;
struct line_file;

enum { LINE_FILE_MOST_LEVELS = 128 }; /* of inlined functions, at most */

/* The file, and how to open it. */
struct line_source {
	const char *path;	      /* as we see it */
	struct elf_build_id build_id; /* size 0: not known; then nothing is kept on disk */
	const char *kernel_release;   /* of a kernel and its modules, else NULL */
	const char *module;	      /* the name of a kernel module, else NULL */
	/* Returns a descriptor of the file itself, owned by the caller, or a negative errno and a
	 * few words. NULL: the file is not here, only its debug file can be found. */
	int (*open)(void *context, struct err *err);
	void *context;
	/* Who must be allowed to read the files that lead to the debug information. */
	struct readers readers;
};

/* Copies the texts of @source and borrows all else. Opens nothing yet. */
struct line_file *line_file_new(const struct line_source *source, struct debug_files *debug_files,
				struct cache_folder *cache);
/* Writes new units to the cache. NULL is fine. */
void line_file_free(struct line_file *file);
DEFINE_CLEANUP(struct line_file *, line_file_free);

/* What is at an ELF virtual address: *ret_count levels, innermost first, borrowed until the next
 * call. 0: nothing is known. */
const struct line_place *line_file_find(struct line_file *file, uint64_t address,
					size_t *ret_count);
/* Gives all lines of the unit that holds @address, as line_unit_each_line does. False: no unit
 * does. */
bool line_file_each_line(struct line_file *file, uint64_t address,
			 void (*give)(void *context, uint64_t start, uint64_t end,
				      const char *file_name, uint32_t line),
			 void *context);

/* The debug information itself, borrowed until line_file_rest; NULL: there is none, see
 * line_file_problem. */
struct dwarf_file *line_file_debug(struct line_file *file);

/* The unit of the debug information that holds an ELF virtual address; borrowed likewise, NULL:
 * none. */
struct dwarf_unit *line_file_debug_unit(struct line_file *file, uint64_t address);

/* Why nothing is known, or what is missing, and what to do: a sentence, borrowed; NULL: nothing is
 * missing, or nothing was looked up yet. */
const char *line_file_problem(struct line_file *file);
/* Who must be allowed to read the source files named here: the readers of the file, and the owners
 * of all files that the names may come from. Everybody, if those files are not here. Borrowed until
 * the next call. */
const struct readers *line_file_readers(struct line_file *file);
/* Memory held, in bytes. */
size_t line_file_bytes(const struct line_file *file);
/* Writes new units to the cache, and frees all that can be read again. */
void line_file_rest(struct line_file *file);

#endif
