/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/file_search.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "foreign/door.h"
#include "place/files/special_names.h"

/* Where a file may be. */
struct search_way {
	const struct door_root *root; /* NULL: none */
	const char *path;
	bool magic; /* through a magic link of /proc/PID */
};

static int open_regular(const struct mapped_file *mapped, const struct search_way *way,
			struct door_file *ret_file)
{
	struct foreign *foreign = mapped->readers ? mapped->readers->foreign : NULL;

	if (way->magic)
		return door_open_magic(foreign, way->path, mapped->pid, mapped->dev, ret_file);
	return door_open_file(mapped->readers, way->root, way->path, ret_file, NULL);
}

/* Keeps the most informative reason: late, then another file, then no permission, then nothing
 * there. */
static void note(struct file_search_result *result, int rc)
{
	if (rc == -EMFILE || rc == -ENFILE) {
		result->exhausted = true;
	} else if (rc == -ETIMEDOUT) {
		result->reason = IMAGE_STATE_LATE;
	} else if (result->reason == IMAGE_STATE_LATE) {
		return; /* this is the file that was wanted, whatever the other paths have */
	} else if (rc == -EACCES || rc == -EPERM) {
		if (result->reason == IMAGE_STATE_GONE)
			result->reason = IMAGE_STATE_DENIED;
	} else if (rc != -ENOENT && rc != -ESRCH && rc != -ENOTDIR) {
		result->reason = IMAGE_STATE_REPLACED;
	}
}

static bool nothing_is_told(const struct mapped_file *mapped)
{
	return !mapped->build_id_size && !mapped->inode;
}

static bool try_way(const struct search_way *way, const struct mapped_file *mapped,
		    struct file_search_result *result)
{
	struct door_file file;
	_cleanup_close_ int fd = open_regular(mapped, way, &file);

	if (fd < 0) {
		note(result, fd);
		return false;
	}
	if (file_identity_read(fd, &file, &result->identity) < 0 ||
	    !file_identity_proves(&result->identity, fd, mapped)) {
		note(result, -EINVAL);
		if (nothing_is_told(mapped))
			result->reason = IMAGE_STATE_UNPROVEN;
		return false;
	}
	result->fd = steal_fd(fd);
	return true;
}

static struct file_search_result nothing(void)
{
	return (struct file_search_result){ .fd = -1, .reason = IMAGE_STATE_GONE };
}

struct file_search_result file_search_path(const struct mapped_file *mapped)
{
	struct file_search_result result = nothing();

	if (mapped->path[0] == '/')
		result.by_path =
			try_way(&(struct search_way){ .path = mapped->path }, mapped, &result);
	return result;
}

struct file_search_result file_search(const struct mapped_file *mapped)
{
	bool in_folder = !special_names_is_memfd(mapped->path);
	struct file_search_result result = in_folder ? file_search_path(mapped) : nothing();
	char path[PATH_MAX + 64];

	if (result.fd >= 0 || mapped->pid <= 0)
		return result;
	snprintf(path, sizeof(path), "/proc/%d/root%s", mapped->pid, mapped->path);
	if (in_folder &&
	    try_way(&(struct search_way){ .path = path, .magic = true }, mapped, &result))
		return result;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, mapped->pid,
		 mapped->start, mapped->end);
	try_way(&(struct search_way){ .path = path, .magic = true }, mapped, &result);
	return result;
}

static bool holds(const struct file_identity *identity, const struct door_file *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	st.st_dev = file->device;
	st.st_ino = file->inode;
	return file_identity_is(identity, &st);
}

static bool try_again(const struct mapped_file *mapped, const struct search_way *way,
		      const struct file_identity *identity, struct file_search_result *result)
{
	struct door_file file;
	_cleanup_close_ int fd = open_regular(mapped, way, &file);

	if (fd < 0) {
		note(result, fd);
		return false;
	}
	if (!holds(identity, &file, fd)) {
		note(result, -EINVAL);
		return false;
	}
	result->fd = steal_fd(fd);
	result->identity = *identity;
	result->identity.copy = file.copy;
	return true;
}

struct file_search_result file_search_under(const char *root, const struct mapped_file *mapped)
{
	struct file_search_result result = nothing();
	const struct door_root within = { .path = root };
	struct mapped_file trusted = *mapped;

	trusted.by_name = true;
	if (mapped->path[0] == '/')
		try_way(&(struct search_way){ .root = &within, .path = mapped->path }, &trusted,
			&result);
	return result;
}

struct file_search_result file_search_again(const char *root, const struct mapped_file *mapped,
					    const struct file_identity *identity)
{
	struct file_search_result result = nothing();
	const struct door_root within = { .path = root };
	char inside[PATH_MAX + 64];

	if (root && mapped->path[0] == '/' &&
	    try_again(mapped, &(struct search_way){ .root = &within, .path = mapped->path },
		      identity, &result))
		return result;
	result.by_path =
		mapped->path[0] == '/' &&
		try_again(mapped, &(struct search_way){ .path = mapped->path }, identity, &result);
	if (result.fd >= 0 || mapped->pid <= 0)
		return result;
	snprintf(inside, sizeof(inside), "/proc/%d/root%s", mapped->pid, mapped->path);
	try_again(mapped, &(struct search_way){ .path = inside, .magic = true }, identity, &result);
	return result;
}
