/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that appears whole or not at all. It is written without a name (or, if the file system
 * cannot do that, under a temporary name beside the path) and moved into place at the end. An
 * existing file keeps its mode, owner and all its names: if the new file cannot have them, or
 * cannot be created beside it, the content is gathered in memory and written over the old at the
 * end. Under sudo a new file belongs to the invoking user. A path that is not a regular file (a
 * terminal, a pipe, /dev/null) is written to directly; "-" is standard output.
 */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/err.h"

struct output_file;

/* @path: links are followed; an existing file stays as it is until output_file_commit. Under sudo
 * it is opened with the invoking user's rights, or as root if these do not suffice and only root
 * can change what the path means (owner_root_alone). -EACCES if the file may not be written. */
int output_file_open(const char *path, struct output_file **ret_file, struct err *err);
/* The same for content that other users must not see: the file gets this mode, whatever was there
 * before and whatever the umask (0: as output_file_open). Content is never written into another
 * user's file: that file is replaced, or the call fails. */
int output_file_open_mode(const char *path, mode_t mode, struct output_file **ret_file,
			  struct err *err);
/* Removes what was written unless it was committed. NULL is fine. */
void output_file_free(struct output_file *file);
DEFINE_CLEANUP(struct output_file *, output_file_free);

/* Borrowed until commit or free. */
FILE *output_file_stream(struct output_file *file);
/* True if commit replaces the old file in one step. False if commit writes over the old file, or if
 * the path is not a regular file. */
bool output_file_replaces(const struct output_file *file);
/* Call it once, after everything was written: checks that the content arrived and moves or copies
 * it into place. A closed pipe is no failure: its reader wants no more. */
int output_file_commit(struct output_file *file, struct err *err);

/* True if @path means standard output, not a file. */
bool output_file_is_stdout(const char *path);
/* True if output to @path arrives where standard output does, under whatever name: "-",
 * /dev/stdout, a name of its file. False for devices other than terminals, such as /dev/null: there
 * nothing gets mixed up. */
bool output_file_meets_stdout(const char *path);

/* True if output to @path ("-": standard output) arrives on a terminal, under whatever name, such
 * as /dev/tty. */
bool output_file_is_terminal(const char *path);

#endif
