/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files are needed to look at a profile: found by looking at all of it, and noting what is
 * opened on the way. */
#ifndef VIEWS_ARCHIVE_FILES_H
#define VIEWS_ARCHIVE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "model/profile.h"
#include "names/lines/source_files.h"
#include "place/files/image_readers.h"
#include "views/archive.h"

enum archive_kind {
	ARCHIVE_IMAGE,
	ARCHIVE_DEBUG,
	ARCHIVE_SOURCE,
	ARCHIVE_KINDS,
};

struct archive_file {
	enum archive_kind kind;
	char *name; /* in the archive */
	int fd;	    /* what was opened; -1: its content is in `bytes` */
	struct source_bytes bytes;
};

/* Zero-initialised is empty. */
struct archive_files {
	VEC(struct archive_file) list; /* by name, each once */
	/* A line for each image that is not there and each file that was left out, and why; what
	 * could break a line is escaped. */
	struct buf missing;
	size_t missing_count;
	struct strpool names, absent; /* private */
};

/* Never fails: what is not there, or one of the readers may not read, is missing. */
void archive_files_find(const struct profile *profile, const struct image_readers *readers,
			const struct archive_options *options, struct archive_files *ret_files);
void archive_files_done(struct archive_files *files);

#endif
