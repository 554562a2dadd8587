/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file is meant by what a user types before the colon. */
#ifndef WATCH_TARGETS_WATCH_FILES_H
#define WATCH_TARGETS_WATCH_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct door_file;
struct foreign;
struct stat;

/* In whose view. */
struct watch_view_of {
	int32_t pid;		 /* of a process; 0: none */
	const char *command;	 /* argv[0] of a command; NULL: none */
	struct foreign *foreign; /* reads what may not answer, borrowed; NULL: it is waited for */
};

/* Appends the path of the file by which this process can open it: as typed; for a process, what it
 * has mapped and what is in its own root; a program of PATH; a library as ld.so(8) finds it.
 * -ENOENT with the reason, -ENOTUNIQ: several mapped files fit. */
int watch_files_find(const struct watch_view_of *view, const char *name, struct buf *path,
		     struct err *err);
/* The program of the process or of the command. -ENOENT: neither is chosen. */
int watch_files_program(const struct watch_view_of *view, struct buf *path, struct err *err);

/* stat(2) of such a path, which may lead through /proc/PID. Negative errno. */
int watch_files_stat(struct foreign *foreign, const char *path, struct stat *ret_stat);
/* A descriptor of the file, the caller's, for reading. Negative errno: -ETIMEDOUT when its file
 * system does not answer. */
int watch_files_open(struct foreign *foreign, const char *path, struct door_file *ret_file);

#endif
