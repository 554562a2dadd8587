/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks a tar file, compressed by zstd, that anybody may have made. Nothing is written outside of
 * the folder, nothing but regular files and folders is made, and nothing beyond the limits; an
 * archive that wants more is refused as a whole.
 */
#ifndef ARCHIVE_TAR_READER_H
#define ARCHIVE_TAR_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { TAR_READER_MOST_DEPTH = 128 }; /* folders above each other */

struct tar_limits {
	uint64_t most_bytes;   /* all members together */
	uint64_t most_members; /* folders too */
};

/* Is the file (an open one, its position does not matter) compressed by zstd? */
bool tar_reader_knows(int fd);

/* Unpacks @fd from its position into @folder, a descriptor of an empty folder nobody else writes
 * to. Files are readable for the owner alone and keep their times of change. -EBADMSG for what is
 * damaged or no tar file, -EPERM for what is refused, -EFBIG beyond the limits, -ENOENT when
 * libarchive is not installed; else a failed write. What was unpacked until then is left there. */
int tar_reader_unpack(int fd, int folder, const struct tar_limits *limits, struct err *err);

#endif
