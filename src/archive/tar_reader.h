/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks a zstd-compressed tar file from an untrusted source. It writes only below the folder,
 * creates only regular files and folders, and stays within the limits; an archive that asks for
 * more is refused as a whole.
 */
#ifndef ARCHIVE_TAR_READER_H
#define ARCHIVE_TAR_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { TAR_READER_MOST_DEPTH = 128 }; /* of nested folders */

struct tar_limits {
	uint64_t most_bytes;   /* all members together */
	uint64_t most_members; /* folders too */
};

/* True if the open file is compressed by zstd; its position does not matter. */
bool tar_reader_knows(int fd);

/* Unpacks @fd from its position into @folder, a descriptor of an empty folder that no one else
 * writes to. Files are readable by the owner alone and keep their modification times. -EBADMSG:
 * damaged or not a tar file; -EPERM: refused; -EFBIG: beyond the limits; -ENOENT: libarchive is not
 * installed; else the error of a failed write. On failure the files unpacked so far remain. */
int tar_reader_unpack(int fd, int folder, const struct tar_limits *limits, struct err *err);

#endif
