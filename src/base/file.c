/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

int file_read_at(int dirfd, const char *path, size_t limit, struct buf *buf)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	size_t start = buf->size;
	char chunk[16384];

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t got = read(fd, chunk, sizeof(chunk));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		if (buf->size - start + (size_t)got > limit)
			return -EFBIG;
		buf_add(buf, chunk, (size_t)got);
	}
}

int file_read(const char *path, size_t limit, struct buf *buf)
{
	return file_read_at(AT_FDCWD, path, limit, buf);
}

int file_read_i64(const char *path, int64_t *ret_value)
{
	struct buf buf = { 0 };
	int rc = file_read(path, 4096, &buf);
	char *end;
	long long value;

	if (rc == 0) {
		errno = 0;
		value = strtoll(buf_text(&buf), &end, 10);
		if (end == buf_text(&buf) || errno)
			rc = -EINVAL;
		else
			*ret_value = value;
	}
	buf_done(&buf);
	return rc;
}

const char *file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int file_write(int fd, const void *bytes, size_t size)
{
	for (const char *at = bytes; size > 0;) {
		ssize_t done = write(fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		at += done;
		size -= (size_t)done;
	}
	return 0;
}

int file_flush(FILE *stream)
{
	errno = 0;
	if (fflush(stream) != 0)
		return errno ? -errno : -EIO;
	if (!ferror(stream))
		return 0;
	/* The errno of the earlier failure is lost; another write will meet it again. */
	errno = 0;
	if (fputc('\n', stream) == EOF || fflush(stream) != 0)
		return errno ? -errno : -EIO;
	return -EIO;
}

void file_remove_tree(const char *path)
{
	char *const paths[] = { (char *)path, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV | FTS_NOSTAT, NULL);
	const FTSENT *entry;

	if (!walk)
		return;
	while ((entry = fts_read(walk))) {
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_accpath);
		else if (entry->fts_info != FTS_D)
			unlink(entry->fts_accpath);
	}
	fts_close(walk);
}

uint64_t file_tree_bytes(const char *path)
{
	char *const paths[] = { (char *)path, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	const FTSENT *entry;
	uint64_t bytes = 0;

	while (walk && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_F)
			bytes += (uint64_t)entry->fts_statp->st_size;
	}
	if (walk)
		fts_close(walk);
	return bytes;
}
