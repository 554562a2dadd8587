/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files by the names debug information has for them. They may lie elsewhere here:
 * --source-path FROM=TO puts TO in the place of the leading folders FROM; --source-path DIR looks
 * for the longest end of the name that is a file under DIR.
 */
#ifndef PIPELINE_SOURCE_FILES_H
#define PIPELINE_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct source_files;
struct source_file;

/* @paths: values of --source-path, borrowed; the first that leads to a file counts, then the name
 * itself. */
struct source_files *source_files_new(const char *const *paths, size_t count);
void source_files_free(struct source_files *files); /* NULL is fine */
DEFINE_CLEANUP(struct source_files *, source_files_free);

/* Is this value of --source-path one? -EINVAL and one line. */
int source_files_check(const char *path, struct err *err);

/* Read when it is asked for first, and kept. NULL: there is no such regular file here, it may not
 * be read, or it is too large. */
const struct source_file *source_files_get(struct source_files *files, const char *name);

size_t source_file_lines(const struct source_file *file);
/* A line from 1 on, without its newline; "" beyond the last. Borrowed. */
const char *source_file_line(const struct source_file *file, size_t line);
/* Where it was found, and when it was changed last (CLOCK_REALTIME). */
const char *source_file_path(const struct source_file *file);
int64_t source_file_mtime_ns(const struct source_file *file);

#endif
