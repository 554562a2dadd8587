/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A zstd-compressed tar file that does not depend on who wrote it and when: the same members give
 * the same bytes. The format is pax (POSIX.1-2001), which allows long names of any bytes.
 */
#ifndef ARCHIVE_TAR_WRITER_H
#define ARCHIVE_TAR_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"

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
