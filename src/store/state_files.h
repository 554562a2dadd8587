/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiles that are kept without being asked for: last.prof and previous.prof in
 * ${XDG_STATE_HOME:-~/.local/state}/prospect/. A recording is made beside them as
 * recording-PID.prof and takes its place when it is whole. One that was killed is found by the next
 * command, by the lock it does not hold any more, and becomes last.prof as far as it got; without a
 * sample it is removed, for it must not take the place of one that has some.
 */
#ifndef STORE_STATE_FILES_H
#define STORE_STATE_FILES_H

#include <stddef.h>

#include "base/err.h"
#include "base/owner.h"

struct store_writer;

enum { STATE_PATH_MAX = 4096 };

/* The path of last.prof. -ENOENT and what to do when there is none yet. */
int state_last_profile(char *ret_path, size_t size, struct err *err);
/* The same of previous.prof. */
int state_previous_profile(char *ret_path, size_t size, struct err *err);

/* The path of a file in the state folder, whether it is there or not. -ENOENT: there is no home. */
int state_path(const struct owner *owner, const char *name, char *ret_path, size_t size,
	       struct err *err);
/* Makes the folder, and those above it, if need be. */
int state_make_folder(const struct owner *owner, struct err *err);

/* Makes the folder if need be and gives a path to record into where nothing is: PID is ours, or the
 * next number that is free, for another namespace has the same pids. */
int state_begin(const struct owner *owner, char *ret_path, size_t size, struct err *err);
/* The recording at @path is whole: last.prof becomes previous.prof, it becomes last.prof. Writes
 * its new path over @path. @writer is freed in any case, when no other command can take its file
 * for one that was left behind; NULL: it was before. */
int state_commit(const struct owner *owner, struct store_writer *writer, char *path, size_t size,
		 struct err *err);

#endif
