/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tar files compressed by zstd. */
#ifndef ARCHIVE_TAR_H
#define ARCHIVE_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"

enum { TAR_MOST_DEPTH = 128 }; /* of nested folders */

struct tar_limits {
	uint64_t most_bytes;   /* all members together */
	uint64_t most_members; /* folders too */
};

/* True if the open file is compressed by zstd; its position does not matter. */
bool tar_knows(int fd);

/* Unpacks an archive from an untrusted source. It writes only below the folder, creates only
 * regular files and folders, and stays within the limits; an archive that asks for more is refused
 * as a whole.
 *
 * Reads @fd from its position and unpacks into @folder, a descriptor of an empty folder that no one
 * else writes to. Files are readable by the owner alone and keep their modification times.
 * -EBADMSG: damaged or not a tar file; -EPERM: refused; -EFBIG: beyond the limits; -ENOENT:
 * libarchive is not installed; else the error of a failed write. On failure the files unpacked so
 * far remain. */
int tar_unpack(int fd, int folder, const struct tar_limits *limits, struct err *err);

/* Writes an archive that does not depend on who wrote it and when: the same members give the same
 * bytes. The format is pax (POSIX.1-2001), which allows long names of any bytes. */
struct tar_writer;

/* @out is borrowed; tar_writer_finish reports write errors at the latest. -ENOENT if libarchive is
 * not installed. */
int tar_writer_new(FILE *out, struct tar_writer **ret_writer, struct err *err);
/* NULL is fine. */
void tar_writer_free(struct tar_writer *writer);
DEFINE_CLEANUP(struct tar_writer *, tar_writer_free);

/* Adds a regular file from its beginning and keeps its modification time. -EIO too if it grew or
 * shrank meanwhile. */
int tar_writer_add_file(struct tar_writer *writer, const char *name, int fd, struct err *err);
/* Adds a file with this content, modified at @mtime_ns (CLOCK_REALTIME). */
int tar_writer_add_bytes(struct tar_writer *writer, const char *name, const void *bytes,
			 size_t size, int64_t mtime_ns, struct err *err);
/* Writes the end of the archive. */
int tar_writer_finish(struct tar_writer *writer, struct err *err);

#endif
