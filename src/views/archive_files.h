/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the files needed to view a profile: resolves all of it and notes what is opened. */
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
	int fd;	    /* the open file; -1: the content is in `bytes` */
	struct source_bytes bytes;
};

/* Empty when zero-initialised. */
struct archive_files {
	VEC(struct archive_file) list; /* by name, each once */
	/* One line for each missing image and each omitted file, with the reason. Characters that
	 * could break a line are escaped. */
	struct buf missing;
	size_t missing_count;
	struct strpool names, absent; /* private */
};

/* Never fails: a file that is absent, or that the readers may not read, counts as missing. */
void archive_files_find(const struct profile *profile, const struct image_readers *readers,
			const struct archive_options *options, struct archive_files *ret_files);
void archive_files_done(struct archive_files *files);

#endif
