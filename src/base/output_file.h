/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is whole or not there: written without a name (where the file system has no such
 * files, under another one beside it) and moved into place at the end. An existing file keeps its
 * mode, its owner and all its names: where that, or a second file beside it, cannot be had, its new
 * content is gathered in memory and written over the old at the end. Under sudo a new file belongs
 * to the invoking user. What is no regular file (a terminal, a pipe, /dev/null) is written to
 * directly; "-" is standard output.
 */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/err.h"

struct output_file;

/* @path: links are followed; an existing file is as it was until output_file_commit. Under sudo it
 * is opened with the invoking user's rights, and as root where these do not suffice but only root
 * can have a say (owner_root_alone). -EACCES when the file may not be written. */
int output_file_open(const char *path, struct output_file **ret_file, struct err *err);
/* The same of what others must not see: whatever was there, and whatever the umask, the file gets
 * this mode (0: as output_file_open), and it is never written into another user's file: that is
 * replaced, or it fails. */
int output_file_open_mode(const char *path, mode_t mode, struct output_file **ret_file,
			  struct err *err);
/* Removes what was written unless it was committed; NULL is fine. */
void output_file_free(struct output_file *file);
DEFINE_CLEANUP(struct output_file *, output_file_free);

/* Borrowed until commit or free. */
FILE *output_file_stream(struct output_file *file);
/* Will a new file take the place of the old one at once, for whoever looks at the path? Not where
 * the old one is written over, or what is no regular file is written to. */
bool output_file_replaces(const struct output_file *file);
/* Everything was written: checks that it arrived and moves or copies it into place. Only once. A
 * reader of a pipe that went away is no failure: nobody is left to be told. */
int output_file_commit(struct output_file *file, struct err *err);

/* Does @path mean standard output, rather than a file? */
bool output_file_is_stdout(const char *path);
/* Does what is written to @path arrive where standard output does, whatever it is called: "-",
 * /dev/stdout, a name of its file? Not of devices that are no terminals, as /dev/null: there
 * nothing gets mixed up. */
bool output_file_meets_stdout(const char *path);

/* Does what is written to @path ("-": standard output) arrive on a terminal, whatever that is
 * called, as /dev/tty? */
bool output_file_is_terminal(const char *path);

#endif
