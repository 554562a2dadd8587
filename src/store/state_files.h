/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ten profiles that are kept without -o, in ${XDG_STATE_HOME:-~/.local/state}/prospect/:
 * last.prof, previous.prof, then last-2.prof to last-9.prof, each older than the one before. A
 * recording is written there as recording-PID.prof and becomes last.prof when it is complete; the
 * others move on, and the eleventh is removed. Files of other names are never touched. If a
 * recording was killed, the next command finds it, because
 * no process holds its lock any more, and makes it last.prof. If it has no samples, the command
 * removes it instead, so it does not replace one that has some.
 */
#ifndef STORE_STATE_FILES_H
#define STORE_STATE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/owner.h"

struct store_writer;

enum { STATE_PATH_MAX = 4096, STATE_KEPT = 10 };

/* The path of the profile with @age (below STATE_KEPT) newer ones. -ENOENT, with advice in @err, if
 * there is none. */
int state_profile(unsigned age, char *ret_path, size_t size, struct err *err);
int state_last_profile(char *ret_path, size_t size, struct err *err);
int state_previous_profile(char *ret_path, size_t size, struct err *err);
/* True if @word is "@1" (the last profile) to "@10" (with nine newer ones), and no file has that name.
 */
bool state_is_age(const char *word, unsigned *ret_age);
/* Replaces such a word by the path of the profile, which is written to @path; any other stays. Errors as
 * state_profile. */
int state_find(const char **word, char *path, size_t size, struct err *err);

/* The path of a file in the state folder, which need not exist. -ENOENT: there is no home
 * folder. */
int state_path(const struct owner *owner, const char *name, char *ret_path, size_t size,
	       struct err *err);
/* Makes the folder and its parents if necessary. */
int state_make_folder(const struct owner *owner, struct err *err);

/* Makes the folder if necessary and gives an unused path to record into. PID is this process's, or
 * the next unused number: processes of another namespace may have the same PIDs. */
int state_begin(const struct owner *owner, char *ret_path, size_t size, struct err *err);
/* Ends the complete recording at @path, which becomes last.prof. Writes its new path over @path. Always frees @writer (NULL: the caller did), at a
 * point where no other command can take its file for an abandoned one. */
int state_commit(const struct owner *owner, struct store_writer *writer, char *path, size_t size,
		 struct err *err);

#endif
