/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files by the names that debug information has for them. The maker of that file chose the
 * names, so each is opened through foreign/door.h for the readers given with each request. Source
 * files may be elsewhere on this machine: --source-path FROM=TO replaces the leading folders FROM
 * by TO; --source-path DIR looks for the longest end of the name that is a file under DIR.
 */
#ifndef NAMES_LINES_SOURCE_FILES_H
#define NAMES_LINES_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "foreign/door.h"

struct source_files;
struct source_file;

/* @paths: values of --source-path, borrowed. The first that leads to a file counts, then @unpacked,
 * the folder of an archive's unpacked source files (NULL: none), then the name itself. */
struct source_files *source_files_new(const char *const *paths, size_t count, const char *unpacked);
void source_files_free(struct source_files *files); /* NULL is fine */
DEFINE_CLEANUP(struct source_files *, source_files_free);

/* Checks a value of --source-path. -EINVAL and one line. */
int source_files_check(const char *path, struct err *err);

/* A source file, read at first use and kept. NULL: there is no such regular file here, one of the
 * readers may not read it, or it is too large. */
const struct source_file *source_files_get(struct source_files *files,
					   const struct readers *readers, const char *name);
/* Why an existing file is not given: a few words, borrowed until the next call; NULL: it is given,
 * or does not exist. */
const char *source_files_refusal(struct source_files *files, const struct readers *readers,
				 const char *name);

/* A whole file, as it was when opened. */
struct source_bytes {
	char *path; /* where it was found */
	struct buf text;
	int64_t mtime_ns; /* CLOCK_REALTIME */
};
/* Reads a file without keeping it. Errors of door_open; -EFBIG. Free *ret_bytes with
 * source_bytes_done. */
int source_files_read(const struct source_files *files, const struct readers *readers,
		      const char *name, struct source_bytes *ret_bytes, struct err *err);
void source_bytes_done(struct source_bytes *bytes);

size_t source_file_lines(const struct source_file *file);
/* A line, counted from 1, without its newline; "" beyond the last. Borrowed. */
const char *source_file_line(const struct source_file *file, size_t line);
/* Where it was found, and its time of last change (CLOCK_REALTIME). */
const char *source_file_path(const struct source_file *file);
int64_t source_file_mtime_ns(const struct source_file *file);

#endif
