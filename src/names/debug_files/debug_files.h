/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the debug information of a file that has none itself: a chain of sources, in this order.
 * Only files that belong to it count: a debug file is refused if it has another build id, or if its
 * checksum is not the one that the file names.
 *
 * 1. build-id folders: FOLDER/.build-id/xx/yyyy.debug of each --debug-dir and of /usr/lib/debug;
 * 2. .gnu_debuglink: beside the file, in .debug/ there, under each FOLDER;
 * 3. by the file's own name in each FOLDER of --debug-dir, if the build id proves it;
 * 4. for kernels and their modules, the places where distributions keep vmlinux and modules, also
 *    under each FOLDER, and there by their names alone;
 * 5. 1 and 2 once more, with their paths as the process sees that has the file mapped;
 * 6. debuginfod servers, on request.
 *
 * Except for the servers' files, other files chose these names: they are opened through
 * foreign/door.h for the readers given with each request.
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
	const char *symfs;	    /* all paths are below it; NULL: none */
	bool symfs_sealed;	    /* as in struct door_root */
	const char *const *folders; /* values of --debug-dir, searched before /usr/lib/debug */
	size_t folder_count;
	bool debuginfod;	 /* ask the servers of DEBUGINFOD_URLS */
	struct foreign *foreign; /* as in struct readers */
	/* Called now and then while a server is awaited, and with "" when that ends; may be
	 * NULL. */
	void (*progress)(void *context, const char *what);
	void *progress_context;
	/* Called for each file that was opened because it belongs, with the path at which it would
	 * be found without --debug-dir and servers; may be NULL. */
	void (*opened)(void *context, const char *path, int fd);
	/* Called for each file that exists, or may exist, and that a reader may not read; may be
	 * NULL. */
	void (*refused)(void *context, const char *path, const char *why);
	void *opened_context; /* of both */
};

/* Which part of a debug file is wanted. */
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
	const char *kernel_release;    /* of a kernel and its modules, borrowed; NULL: neither */
	const char *module;	       /* name of a module, borrowed; NULL: not a module */
	/* Where the system's folder and those beside the file are looked for as well, below this
	 * folder (borrowed), if nothing belongs here: the root of the process that has the file
	 * mapped. NULL: none. */
	const char *process_root;
};

/* Everything in @options is borrowed; NULL: defaults. */
struct debug_files *debug_files_new(const struct debug_options *options);
void debug_files_free(struct debug_files *files); /* NULL is fine */
DEFINE_CLEANUP(struct debug_files *, debug_files_free);

/* True if an ELF file has that part itself. Its sections have been read. */
bool debug_files_has(const struct elf_file *elf, enum debug_part part);

/* Returns a descriptor, owned by the caller, of the first debug file in the chain that belongs to
 * the file and has the part. *ret_path (the caller frees it) is its path. -ENOENT and one line:
 * what was found and refused, or that nothing was found. */
int debug_files_open(struct debug_files *files, const struct debug_wanted *wanted,
		     enum debug_part part, char **ret_path, struct err *err);
/* Files that a debug file at @path refers to; the same contracts. The supplementary file of dwz: */
int debug_files_open_supplementary(struct debug_files *files, const struct readers *readers,
				   const char *path, const char *name,
				   const struct elf_build_id *build_id);
/* A .dwo file; @folder and @name as the compiler wrote them: */
int debug_files_open_split(struct debug_files *files, const struct readers *readers,
			   const char *path, const char *folder, const char *name);
/* PATH.dwp: */
int debug_files_open_package(struct debug_files *files, const struct readers *readers,
			     const char *path);

/* A name that the debug file of @path may have in a folder: 0 is FOLDER/PATH.debug, then
 * FOLDER/PATH, FOLDER/NAME.debug and FOLDER/NAME. NULL: no more. The caller frees it. */
char *debug_files_named(const char *folder, const char *path, int number);

/* The root of all paths: --symfs, if there is one. */
struct door_root debug_files_root(const struct debug_files *files);

#endif
