/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/file_search.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "resolve/special_names.h"

/* A file from outside is opened only when it is a regular one: opening a device or a pipe has
 * effects. (O_NONBLOCK for the moment between the question and the opening.) */
static int open_regular(const struct mapped_file *mapped, const struct door_root *root,
			const char *path)
{
	struct stat st;
	int fd;

	if (mapped->readers || root)
		return door_open(mapped->readers, root, path, NULL);
	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* The reason that tells most: another file, no permission, nothing there. */
static void note(struct file_search_result *result, int rc)
{
	if (rc == -EMFILE || rc == -ENFILE) {
		result->exhausted = true;
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

static bool try_path(const struct door_root *root, const char *path,
		     const struct mapped_file *mapped, struct file_search_result *result)
{
	_cleanup_close_ int fd = open_regular(mapped, root, path);

	if (fd < 0) {
		note(result, fd);
		return false;
	}
	if (file_identity_read(fd, &result->identity) < 0 ||
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
		result.by_path = try_path(NULL, mapped->path, mapped, &result);
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
	if (in_folder && try_path(NULL, path, mapped, &result))
		return result;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, mapped->pid,
		 mapped->start, mapped->end);
	try_path(NULL, path, mapped, &result);
	return result;
}

static bool try_again(const struct mapped_file *mapped, const struct door_root *root,
		      const char *path, const struct file_identity *identity,
		      struct file_search_result *result)
{
	_cleanup_close_ int fd = open_regular(mapped, root, path);

	if (fd < 0) {
		note(result, fd);
		return false;
	}
	if (!file_identity_holds(identity, fd)) {
		note(result, -EINVAL);
		return false;
	}
	result->fd = steal_fd(fd);
	result->identity = *identity;
	return true;
}

struct file_search_result file_search_under(const char *root, const struct mapped_file *mapped)
{
	struct file_search_result result = nothing();
	const struct door_root within = { .path = root };
	struct mapped_file trusted = *mapped;

	trusted.by_name = true;
	if (mapped->path[0] == '/')
		try_path(&within, mapped->path, &trusted, &result);
	return result;
}

struct file_search_result file_search_again(const char *root, const struct mapped_file *mapped,
					    const struct file_identity *identity)
{
	struct file_search_result result = nothing();
	const struct door_root within = { .path = root };
	char inside[PATH_MAX + 64];

	if (root && mapped->path[0] == '/' &&
	    try_again(mapped, &within, mapped->path, identity, &result))
		return result;
	result.by_path =
		mapped->path[0] == '/' && try_again(mapped, NULL, mapped->path, identity, &result);
	if (result.fd >= 0 || mapped->pid <= 0)
		return result;
	snprintf(inside, sizeof(inside), "/proc/%d/root%s", mapped->pid, mapped->path);
	try_again(mapped, NULL, inside, identity, &result);
	return result;
}
