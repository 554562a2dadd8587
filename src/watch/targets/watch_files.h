/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the file that a user names before the colon, and the libraries that it needs. */
#ifndef WATCH_TARGETS_WATCH_FILES_H
#define WATCH_TARGETS_WATCH_FILES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "elf/elf_file.h"

struct door_file;
struct foreign;
struct stat;

/* Whose view of files. */
struct watch_view_of {
	int32_t pid;		 /* a process; 0: none */
	const char *command;	 /* argv[0] of a command; NULL: none */
	struct foreign *foreign; /* reads what may not answer, borrowed; NULL: wait for it */
};

/* Appends the path by which prospect can open the file: as typed; for a process, a file that it has
 * mapped, or one in its root; a program in PATH; a library as ld.so(8) finds it. -ENOENT with the
 * reason; -ENOTUNIQ: several mapped files fit. */
int watch_files_find(const struct watch_view_of *view, const char *name, struct buf *path,
		     struct err *err);
/* Appends the path of the process's or command's program. -ENOENT: there is neither. */
int watch_files_program(const struct watch_view_of *view, struct buf *path, struct err *err);

/* Calls @give for each library that the file at @path needs (DT_NEEDED) and that is found as ld.so(8)
 * would find it, with its path, borrowed for the call. */
void watch_files_libraries(struct foreign *foreign, const struct elf_file *elf, const char *path,
			   void (*give)(void *context, const char *path), void *context);

/* stat(2) of such a path, which may go through /proc/PID. Negative errno. */
int watch_files_stat(struct foreign *foreign, const char *path, struct stat *ret_stat);
/* Opens the file for reading; the caller closes the descriptor. Negative errno; -ETIMEDOUT: its
 * file system does not answer. */
int watch_files_open(struct foreign *foreign, const char *path, struct door_file *ret_file);

#endif
