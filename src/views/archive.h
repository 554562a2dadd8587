/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile with every file needed to view it elsewhere: images, their debug files, and the sources
 * of functions with samples. */
#ifndef VIEWS_ARCHIVE_H
#define VIEWS_ARCHIVE_H

#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "names/lines/line_service.h"

/* Texts are borrowed. */
struct archive_options {
	struct line_options lines;	 /* where files and debug files are */
	const char *const *source_paths; /* see source_files.h */
	size_t source_path_count;
};

/* Writes the archive of the profile at @path to @out. Adds to @contents what it has and what is
 * missing; the caller prints that after the archive is complete, for the reader of the output may
 * close it early. The same files make the same bytes. A profile being recorded is packed as of
 * now. */
int archive_write(const char *path, const struct archive_options *options, FILE *out,
		  struct buf *contents, struct err *err);
/* Prints the contents. Names in them are untrusted: characters that could control a terminal are
 * escaped. */
void archive_print_contents(const struct buf *contents, FILE *report);

/* Writes only a list to @out: the size in bytes and the archive name of each file, then the
 * contents as of archive_write. Sizes are the current ones. If @path is an archive itself, lists
 * that. */
int archive_list(const char *path, const struct archive_options *options, FILE *out,
		 struct err *err);

#endif
