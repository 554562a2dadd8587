/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the debug information of a file is when the file itself has none: the chain of sources, in
 * the order they are asked. Only what belongs to the very file counts: a debug file with another
 * build id, or whose checksum is not the one the file names, is refused.
 *
 * 1. build-id folders: FOLDER/.build-id/xx/yyyy.debug of each --debug-dir and of /usr/lib/debug;
 * 2. .gnu_debuglink: beside the file, in .debug/ there, under each FOLDER;
 * 3. by the file's own name in each FOLDER of --debug-dir, where the build id proves it;
 * 4. for kernels and their modules, the places distributions keep vmlinux and modules in, also
 *    under each FOLDER, and there by their names alone;
 * 5. debuginfod servers, when that was asked for.
 *
 * All but the servers' files have names that other files chose: they are opened through foreign/door.h
 * for the readers that a question brings along.
 */
#ifndef NAMES_DEBUG_FILES_DEBUG_FILES_H
#define NAMES_DEBUG_FILES_DEBUG_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "elf/debug_link.h"
#include "elf/elf_file.h"
#include "foreign/door.h"

struct debug_files;

struct debug_options {
	const char *symfs;	    /* all paths are below it; NULL: nothing is */
	bool symfs_sealed;	    /* as in struct door_root */
	const char *const *folders; /* --debug-dir, asked before /usr/lib/debug */
	size_t folder_count;
	bool debuginfod;	 /* ask the servers of DEBUGINFOD_URLS */
	struct foreign *foreign; /* as in struct readers */
	/* Told now and then while a server is waited for, and "" when that ends; NULL: nobody is
	 * told. */
	void (*progress)(void *context, const char *what);
	void *progress_context;
	/* Told of each file that was opened because it belongs, with the path at which it would be
	 * found without --debug-dir and servers; NULL: nobody is told. */
	void (*opened)(void *context, const char *path, int fd);
	/* Told of each file that is there, or may be, and that a reader may not read; NULL: nobody
	 * is told. */
	void (*refused)(void *context, const char *path, const char *why);
	void *opened_context; /* of both */
};

/* What is wanted of a debug file. */
enum debug_part {
	DEBUG_LINES,   /* .debug_info */
	DEBUG_SYMBOLS, /* .symtab */
};

/* The file whose debug information is wanted. */
struct debug_wanted {
	const char *path; /* as we see it, borrowed; "": not known */
	struct elf_build_id build_id;
	struct debug_link link;
	bool has_link;
	const struct readers *readers; /* who must be allowed to read the debug file; borrowed */
	const char *kernel_release;    /* of a kernel and its modules, borrowed; NULL: it is none */
	const char *module;	       /* the name of a module, borrowed; NULL: it is none */
};

/* Everything in @options is borrowed; NULL: nothing special. */
struct debug_files *debug_files_new(const struct debug_options *options);
void debug_files_free(struct debug_files *files); /* NULL is fine */
DEFINE_CLEANUP(struct debug_files *, debug_files_free);

/* Does an ELF file have that part itself? Its sections have been read. */
bool debug_files_has(const struct elf_file *elf, enum debug_part part);

/* A descriptor of the first debug file in the chain that belongs to the file and has the part; the
 * caller's. *ret_path (the caller's to free) is where it is. -ENOENT and one line: what was found
 * and refused, or that nothing was found. */
int debug_files_open(struct debug_files *files, const struct debug_wanted *wanted,
		     enum debug_part part, char **ret_path, struct err *err);
/* What a debug file at @path refers to; the same contracts. The supplementary file that dwz made:
 */
int debug_files_open_supplementary(struct debug_files *files, const struct readers *readers,
				   const char *path, const char *name,
				   const struct elf_build_id *build_id);
/* A .dwo file, @folder and @name as the compiler wrote them: */
int debug_files_open_split(struct debug_files *files, const struct readers *readers,
			   const char *path, const char *folder, const char *name);
/* PATH.dwp: */
int debug_files_open_package(struct debug_files *files, const struct readers *readers,
			     const char *path);

/* The name that the debug file of @path may have in a folder: 0 is FOLDER/PATH.debug, then
 * FOLDER/PATH, FOLDER/NAME.debug and FOLDER/NAME. NULL: there are no more. The caller frees it. */
char *debug_files_named(const char *folder, const char *path, int number);

/* What all paths are below: --symfs, if there is one. */
struct door_root debug_files_root(const struct debug_files *files);

#endif
