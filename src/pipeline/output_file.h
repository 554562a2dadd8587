/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is whole or not there: written beside its place under another name and moved there at
 * the end. Under sudo it belongs to the invoking user. What is no regular file (a terminal, a pipe,
 * /dev/null) is written to directly.
 */
#ifndef PIPELINE_OUTPUT_FILE_H
#define PIPELINE_OUTPUT_FILE_H

#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"

struct output_file;

/* @path: links are followed; an existing file is replaced when output_file_commit succeeds. */
int output_file_open(const char *path, struct output_file **ret_file, struct err *err);
/* Removes what was written unless it was committed; NULL is fine. */
void output_file_free(struct output_file *file);
DEFINE_CLEANUP(struct output_file *, output_file_free);

/* Borrowed until commit or free. */
FILE *output_file_stream(struct output_file *file);
/* Everything was written: checks that it arrived and moves it into place. Only once. */
int output_file_commit(struct output_file *file, struct err *err);

/* Could @path be written? For knowing before a run rather than after it; leaves nothing behind. */
int output_file_check(const char *path, struct err *err);

#endif
