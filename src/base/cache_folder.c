/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/file.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	/* Update a file's time of use at most this often: reading a cache should cost no writes. */
	USE_SECONDS = 3600,
	/* A writer that takes longer than this was killed. */
	ABANDONED_SECONDS = 3600,
	MOST_TRIES = 16, /* at a name for a temporary file */
};

struct cache_folder {
	int fd; /* -1: nothing is kept */
	uint64_t most_bytes;
	uint64_t bytes; /* of all files, as far as this process knows */
	bool counted;
	unsigned serial; /* of temporary files */
};

/* mkdir -p, each new folder for the owner alone. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int rc;

		*slash = '\0';
		rc = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (rc < 0)
			return rc;
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static int open_folder(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (path[0] != '/' || make_folders(copy) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !is_ours(&st))
		return -1;
	return steal_fd(fd);
}

struct cache_folder *cache_folder_new(const char *path, uint64_t most_bytes)
{
	struct cache_folder *folder = xcalloc(1, sizeof(*folder));

	folder->fd = path && *path ? open_folder(path) : -1;
	folder->most_bytes = most_bytes;
	return folder;
}

void cache_folder_free(struct cache_folder *folder)
{
	if (!folder)
		return;
	cleanup_closep(&folder->fd);
	free(folder);
}

bool cache_folder_works(const struct cache_folder *folder)
{
	return folder->fd >= 0;
}

static bool is_name(const char *name)
{
	return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) <= NAME_MAX - 40;
}

/* Marks the file as used for the next make_room(). */
static void touch(int fd, const struct stat *st)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };

	if (time(NULL) - st->st_mtime >= USE_SECONDS)
		futimens(fd, times);
}

int cache_folder_open(struct cache_folder *folder, const char *name, uint64_t *ret_size)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (folder->fd < 0 || !is_name(name))
		return -ENOENT;
	fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !is_ours(&st))
		return -ENOENT;
	touch(fd, &st);
	*ret_size = (uint64_t)st.st_size;
	return steal_fd(fd);
}

struct kept {
	char *name; /* owned */
	uint64_t bytes;
	struct timespec used;
};

struct kept_files {
	VEC(struct kept) list;
};

DEFINE_ORDER(by_use, struct kept,
	     COMPARE(a->used.tv_sec, b->used.tv_sec) ?: COMPARE(a->used.tv_nsec, b->used.tv_nsec))

/* Lists one entry, or removes it if a killed writer left it. */
static void take_stock_of(int folder, const char *name, struct kept_files *files)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return;
	if (name[0] != '.')
		*vec_push(&files->list) =
			(struct kept){ xstrdup(name), (uint64_t)st.st_size, st.st_mtim };
	else if (time(NULL) - st.st_mtime > ABANDONED_SECONDS)
		unlinkat(folder, name, 0);
}

static uint64_t take_stock(int folder, struct kept_files *files)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	uint64_t bytes = 0;

	if (!dir) {
		cleanup_closep(&copy);
		return 0;
	}
	while ((entry = readdir(dir)))
		take_stock_of(folder, entry->d_name, files);
	for (size_t i = 0; i < files->list.count; i++)
		bytes += files->list.items[i].bytes;
	return bytes;
}

/* Removes the least recently used files until the others fit, but never @newest. */
static void make_room(struct cache_folder *folder, const char *newest)
{
	struct kept_files files = { 0 };

	folder->bytes = take_stock(folder->fd, &files);
	folder->counted = true;
	if (folder->bytes > folder->most_bytes)
		qsort(files.list.items, files.list.count, sizeof(struct kept), by_use);
	for (size_t i = 0; i < files.list.count && folder->bytes > folder->most_bytes; i++) {
		const struct kept *file = &files.list.items[i];

		if (strcmp(file->name, newest) != 0 && unlinkat(folder->fd, file->name, 0) == 0)
			folder->bytes -= file->bytes;
	}
	for (size_t i = 0; i < files.list.count; i++)
		free(files.list.items[i].name);
	vec_free(&files.list);
}

static int open_temporary(struct cache_folder *folder, char *ret_name, size_t size)
{
	for (int i = 0; i < MOST_TRIES; i++) {
		int fd;

		/* In another pid namespace a process may have our pid. */
		snprintf(ret_name, size, ".%ld-%lx-%u", (long)getpid(), (long)time(NULL),
			 folder->serial++);
		fd = openat(folder->fd, ret_name,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd < 0 ? -errno : fd;
	}
	return -EEXIST;
}

int cache_folder_write(struct cache_folder *folder, const char *name, const void *bytes,
		       size_t size)
{
	char temporary[64];
	_cleanup_close_ int fd = -1;
	int rc;

	if (folder->fd < 0 || !is_name(name))
		return -ENOENT;
	if (size > folder->most_bytes)
		return -EFBIG;
	fd = open_temporary(folder, temporary, sizeof(temporary));
	if (fd < 0)
		return fd;
	rc = file_write(fd, bytes, size);
	if (rc == 0 && renameat(folder->fd, temporary, folder->fd, name) < 0)
		rc = -errno;
	if (rc < 0) {
		unlinkat(folder->fd, temporary, 0);
		return rc;
	}
	folder->bytes += size;
	if (!folder->counted || folder->bytes > folder->most_bytes)
		make_room(folder, name);
	return 0;
}

void cache_folder_drop(struct cache_folder *folder, const char *name)
{
	if (folder->fd >= 0 && is_name(name))
		unlinkat(folder->fd, name, 0);
}

/* An absolute path from the environment, or "": relative paths must be ignored (XDG Base Directory
 * Specification). */
static const char *from_environment(const char *name)
{
	const char *value = secure_getenv(name);

	return value && value[0] == '/' ? value : "";
}

int cache_folder_path(const char *name, char *ret_path, size_t size)
{
	const char *cache = from_environment("XDG_CACHE_HOME");
	const char *home = from_environment("HOME");
	int length;

	if (geteuid() == 0)
		length = snprintf(ret_path, size, "/var/cache/prospect/%s", name);
	else if (*cache)
		length = snprintf(ret_path, size, "%s/prospect/%s", cache, name);
	else if (*home && access(home, F_OK) == 0)
		length = snprintf(ret_path, size, "%s/.cache/prospect/%s", home, name);
	else
		return -ENOENT;
	return length < 0 || (size_t)length >= size ? -ENOENT : 0;
}
