/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile with every file that is needed to look at it elsewhere: its images, their debug files,
 * and the source of what was hit. */
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

/* Writes the archive of the profile at @path to @out, and adds to @contents what is in it and what
 * is not, to be printed when the archive is in its place: a reader of that may leave. The same
 * files make the same bytes. A profile that is being recorded is packed as of now. */
int archive_write(const char *path, const struct archive_options *options, FILE *out,
		  struct buf *contents, struct err *err);
/* Lines of names that anybody may have made: nothing in them moves a terminal. */
void archive_print_contents(const struct buf *contents, FILE *report);

/* Writes nothing but a list to @out: of each file of that archive its size in bytes and its name
 * there, then the contents as of archive_write. Sizes are those of now. When @path is an archive
 * itself, the list says what is in it. */
int archive_list(const char *path, const struct archive_options *options, FILE *out,
		 struct err *err);

#endif
