/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole small files (proc, sysfs), pieces of names, writing, and removing. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/* Appends the whole file, at most @limit bytes (then -EFBIG). @dirfd may be AT_FDCWD.
 * Returns 0 or a negative errno. */
int file_read_at(int dirfd, const char *path, size_t limit, struct buf *buf);
int file_read(const char *path, size_t limit, struct buf *buf);
/* The decimal number a one-line file holds. Returns 0 or a negative errno (-EINVAL: no number). */
int file_read_i64(const char *path, int64_t *ret_value);
/* The part after the last slash, or @path itself if it has none. Borrowed from @path. */
const char *file_base(const char *path);
/* Writes all of @bytes at the descriptor's position. Returns 0 or a negative errno, after which a
 * part may have been written. */
int file_write(int fd, const void *bytes, size_t size);
/* Checks that everything written to @stream arrived. Returns 0 or the negative errno of the failed
 * write, even if an earlier flush met it. To find that errno again it may write one more byte. */
int file_flush(FILE *stream);

/* Removes a folder with everything below it. Links are removed, not followed; other file systems
 * are left alone. Errors are ignored: what cannot be removed stays. */
void file_remove_tree(const char *path);

/* The bytes of all regular files below it. */
uint64_t file_tree_bytes(const char *path);

#endif
