/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tar file, compressed by zstd, that has nothing of who wrote it and when: the same members make
 * the same bytes. The format is pax (POSIX.1-2001), so that names may be long and any bytes.
 */
#ifndef ARCHIVE_TAR_WRITER_H
#define ARCHIVE_TAR_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"

struct tar_writer;

/* @out is borrowed; what cannot be written there is told at the latest by tar_writer_finish.
 * -ENOENT when libarchive is not installed. */
int tar_writer_new(FILE *out, struct tar_writer **ret_writer, struct err *err);
/* NULL is fine. */
void tar_writer_free(struct tar_writer *writer);
DEFINE_CLEANUP(struct tar_writer *, tar_writer_free);

/* A regular file, from its beginning; its time of change is kept. -EIO too when it grew or shrank
 * meanwhile. */
int tar_writer_add_file(struct tar_writer *writer, const char *name, int fd, struct err *err);
/* One whose content is here, changed at @mtime_ns (CLOCK_REALTIME). */
int tar_writer_add_bytes(struct tar_writer *writer, const char *name, const void *bytes,
			 size_t size, int64_t mtime_ns, struct err *err);
/* Writes the end. */
int tar_writer_finish(struct tar_writer *writer, struct err *err);

#endif
