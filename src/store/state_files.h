/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiles that are kept without -o: last.prof and previous.prof in
 * ${XDG_STATE_HOME:-~/.local/state}/prospect/. A recording is written there as recording-PID.prof
 * and becomes last.prof when it is complete. If it was killed, the next command finds it, because
 * no process holds its lock any more, and makes it last.prof. If it has no samples, the command
 * removes it instead, so it does not replace one that has some.
 */
#ifndef STORE_STATE_FILES_H
#define STORE_STATE_FILES_H

#include <stddef.h>

#include "base/err.h"
#include "base/owner.h"

struct store_writer;

enum { STATE_PATH_MAX = 4096 };

/* The path of last.prof. -ENOENT, with advice in @err, if there is none yet. */
int state_last_profile(char *ret_path, size_t size, struct err *err);
/* The same for previous.prof. */
int state_previous_profile(char *ret_path, size_t size, struct err *err);

/* The path of a file in the state folder, which need not exist. -ENOENT: there is no home
 * folder. */
int state_path(const struct owner *owner, const char *name, char *ret_path, size_t size,
	       struct err *err);
/* Makes the folder and its parents if necessary. */
int state_make_folder(const struct owner *owner, struct err *err);

/* Makes the folder if necessary and gives an unused path to record into. PID is this process's, or
 * the next unused number: processes of another namespace may have the same PIDs. */
int state_begin(const struct owner *owner, char *ret_path, size_t size, struct err *err);
/* Ends the complete recording at @path: last.prof becomes previous.prof, and the recording becomes
 * last.prof. Writes its new path over @path. Always frees @writer (NULL: the caller did), at a
 * point where no other command can take its file for an abandoned one. */
int state_commit(const struct owner *owner, struct store_writer *writer, char *path, size_t size,
		 struct err *err);

#endif
