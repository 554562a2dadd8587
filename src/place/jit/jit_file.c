/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * (int64_t)NS_PER_S + st->st_mtim.tv_nsec;
}

static int check(const struct stat *st, const struct jit_file_owner *owner)
{
	bool is_owner =
		st->st_uid == 0 || st->st_uid == owner->uids[0] || st->st_uid == owner->uids[1];

	if (!S_ISREG(st->st_mode) || !is_owner)
		return -EPERM;
	return mtime_of(st) < owner->not_before_ns ? -ESTALE : 0;
}

int jit_file_open(int folder, const char *name, const struct jit_file_owner *owner,
		  struct jit_file *file)
{
	/* No file put there can block us or lead us elsewhere. Opening a device may have effects,
	 * so its type is checked before. */
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	_cleanup_close_ int fd = -1;
	struct stat st;
	int rc;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	rc = check(&st, owner);
	if (rc < 0)
		return rc;
	fd = openat(folder, name, flags);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	rc = check(&st, owner);
	if (rc == 0)
		*file = (struct jit_file){ .fd = steal_fd(fd) };
	return rc;
}

bool jit_file_was_replaced(int folder, const char *name, const struct jit_file *file)
{
	struct stat there, ours;

	if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) < 0 || fstat(file->fd, &ours) < 0)
		return false;
	return there.st_dev != ours.st_dev || there.st_ino != ours.st_ino;
}

/* True if the bytes before `done` are unchanged. */
static bool tail_is_there(const struct jit_file *file)
{
	char tail[JIT_FILE_TAIL];

	return jit_file_read(file, file->done - file->tail_size, tail, file->tail_size) ==
		       file->tail_size &&
	       memcmp(tail, file->tail, file->tail_size) == 0;
}

bool jit_file_look(struct jit_file *file)
{
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return false;
	if ((uint64_t)st.st_size == file->size && mtime_of(&st) == file->mtime_ns)
		return false;
	file->size = (uint64_t)st.st_size;
	file->mtime_ns = mtime_of(&st);
	if (file->size < file->done || !tail_is_there(file)) {
		file->done = 0;
		file->tail_size = 0;
	}
	return true;
}

size_t jit_file_read(const struct jit_file *file, uint64_t offset, void *bytes, size_t size)
{
	size_t total = 0;

	while (total < size) {
		ssize_t got = pread(file->fd, (char *)bytes + total, size - total,
				    (off_t)(offset + total));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		total += (size_t)got;
	}
	return total;
}

void jit_file_advance(struct jit_file *file, const char *bytes, uint64_t size)
{
	if (size == 0)
		return;
	file->done += size;
	file->tail_size = 0;
	if (!bytes)
		return;
	file->tail_size = size < JIT_FILE_TAIL ? (size_t)size : JIT_FILE_TAIL;
	memcpy(file->tail, bytes + size - file->tail_size, file->tail_size);
}

void jit_file_remember(struct jit_file *file)
{
	size_t size = file->done < JIT_FILE_TAIL ? (size_t)file->done : JIT_FILE_TAIL;

	file->tail_size = jit_file_read(file, file->done - size, file->tail, size);
	if (file->tail_size < size)
		file->tail_size = 0;
}

void jit_file_close(struct jit_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
