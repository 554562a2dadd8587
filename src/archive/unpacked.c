/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/unpacked.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive/tar.h"
#include "base/cache_folder.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "store/store.h"

enum {
	MOST_MEMBERS = 100000,	 /* several times a browser with its sources */
	MOST_TIMES_LARGER = 100, /* than the archive, above... */
	ALWAYS_MIB = 64,	 /* ... this size */
	MOST_KEPT = 8,		 /* unpacked archives... */
	MOST_KEPT_MIB = 4096,	 /* ... and their size together */
	IN_USE_SECONDS = 3600,	 /* none is removed so soon after its last use */
};

static const char UNFINISHED[] = ".unfinished";

struct unpacked {
	char *folder, *profile, *files, *sources;
	bool remove; /* there is no cache */
};

bool unpacked_is_archive(const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode)
					 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
					 : -1;

	return fd >= 0 && tar_knows(fd);
}

/* ---- the cache ---- */

/* Names an archive by properties that change whenever it is written. */
static char *name_of(const struct stat *st)
{
	uint64_t place = hash_combine(hash_u64(st->st_dev), st->st_ino);
	uint64_t content =
		hash_combine(hash_u64((uint64_t)st->st_size), (uint64_t)st->st_mtim.tv_sec);

	content = hash_combine(content, (uint64_t)st->st_mtim.tv_nsec);
	content = hash_combine(content, (uint64_t)st->st_ctim.tv_sec);
	content = hash_combine(content, (uint64_t)st->st_ctim.tv_nsec);
	return xasprintf("%016" PRIx64 "%016" PRIx64, place, content);
}

/* The cache of unpacked archives, if there is one and it is private. */
static bool find_cache(char *ret_path, size_t size)
{
	_cleanup_(cache_folder_freep) struct cache_folder *folder = NULL;

	if (cache_folder_path("archives", ret_path, size) < 0)
		return false;
	folder = cache_folder_new(ret_path, UINT64_MAX);
	return cache_folder_works(folder);
}

struct kept {
	char *path;
	struct timespec used;
};

DEFINE_ORDER(newer, struct kept,
	     COMPARE(b->used.tv_sec, a->used.tv_sec) ?: COMPARE(b->used.tv_nsec, a->used.tv_nsec))

/* Removes all but the most recently used, and what killed commands left. */
static void make_room(const char *cache)
{
	_cleanup_closedir_ DIR *folder = opendir(cache);
	VEC(struct kept) kept = { 0 };
	const struct dirent *entry;
	uint64_t bytes = 0;

	while (folder && (entry = readdir(folder))) {
		struct stat st;

		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		*vec_push(&kept) =
			(struct kept){ xasprintf("%s/%s", cache, entry->d_name), st.st_mtim };
	}
	if (kept.count)
		qsort(kept.items, kept.count, sizeof(*kept.items), newer);
	for (size_t i = 0; i < kept.count; i++) {
		bool unfinished = strstr(kept.items[i].path, UNFINISHED);

		bytes += file_tree_bytes(kept.items[i].path);
		if ((unfinished || i >= MOST_KEPT || bytes >> 20 > MOST_KEPT_MIB) &&
		    kept.items[i].used.tv_sec + IN_USE_SECONDS < time(NULL))
			file_remove_tree(kept.items[i].path);
		free(kept.items[i].path);
	}
	vec_free(&kept);
}

/* ---- unpacking ---- */

static int unpack_into(int fd, const char *folder, const char *path, struct err *err)
{
	struct stat st;
	struct tar_limits limits = { .most_bytes = (uint64_t)ALWAYS_MIB << 20,
				     .most_members = MOST_MEMBERS };
	_cleanup_close_ int at = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_free_ char *profile = xasprintf("%s/%s", folder, UNPACKED_PROFILE);
	int rc;

	if (at < 0 || fstat(fd, &st) < 0)
		return err_set(err, -errno, "cannot unpack %s into %s: %s", path, folder,
			       strerror(errno));
	limits.most_bytes += (uint64_t)st.st_size * MOST_TIMES_LARGER;
	rc = tar_unpack(fd, at, &limits, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s", path);
	if (store_is_profile(profile) <= 0)
		return err_set(err, -EINVAL, "%s is an archive, but contains no profile", path);
	return 0;
}

/* Unpacks into a temporary folder beside the final one, then renames it. */
static int unpack_to_cache(struct unpacked *unpacked, int fd, const char *path, struct err *err)
{
	_cleanup_free_ char *beside =
		xasprintf("%s%s%d", unpacked->folder, UNFINISHED, (int)getpid());
	int rc;

	file_remove_tree(beside);
	if (mkdir(beside, 0700) < 0)
		return err_set(err, -errno, "cannot unpack %s into %s: %s", path, beside,
			       strerror(errno));
	rc = unpack_into(fd, beside, path, err);
	if (rc == 0 && rename(beside, unpacked->folder) < 0 && errno != EEXIST &&
	    errno != ENOTEMPTY)
		rc = err_set(err, -errno, "cannot unpack %s: %s", path, strerror(errno));
	/* if it was not moved: unpacking failed, or another command was faster */
	file_remove_tree(beside);
	return rc;
}

static int unpack_for_now(struct unpacked *unpacked, int fd, const char *path, struct err *err)
{
	const char *place = secure_getenv("TMPDIR");

	unpacked->folder = xasprintf("%s/prospect-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(unpacked->folder))
		return err_set(err, -errno, "cannot unpack %s into %s: %s", path, unpacked->folder,
			       strerror(errno));
	unpacked->remove = true;
	return unpack_into(fd, unpacked->folder, path, err);
}

static int unpack(struct unpacked *unpacked, int fd, const char *path, struct err *err)
{
	_cleanup_free_ char *name = NULL;
	char cache[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	if (!find_cache(cache, sizeof(cache)))
		return unpack_for_now(unpacked, fd, path, err);
	name = name_of(&st);
	unpacked->folder = xasprintf("%s/%s", cache, name);
	/* this also marks it as used now */
	if (utimensat(AT_FDCWD, unpacked->folder, NULL, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	make_room(cache);
	return unpack_to_cache(unpacked, fd, path, err);
}

int unpacked_open(const char *path, struct unpacked **ret_unpacked, struct err *err)
{
	_cleanup_(unpacked_closep) struct unpacked *unpacked = xcalloc(1, sizeof(*unpacked));
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc;

	if (fd < 0)
		return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	rc = unpack(unpacked, fd, path, err);
	if (rc < 0)
		return rc;
	unpacked->profile = xasprintf("%s/%s", unpacked->folder, UNPACKED_PROFILE);
	unpacked->files = xasprintf("%s/%s", unpacked->folder, UNPACKED_FILES);
	unpacked->sources = xasprintf("%s/%s", unpacked->folder, UNPACKED_SOURCES);
	*ret_unpacked = steal_ptr(unpacked);
	return 0;
}

void unpacked_close(struct unpacked *unpacked)
{
	if (!unpacked)
		return;
	if (unpacked->remove)
		file_remove_tree(unpacked->folder);
	free(unpacked->folder);
	free(unpacked->profile);
	free(unpacked->files);
	free(unpacked->sources);
	free(unpacked);
}

const char *unpacked_folder(const struct unpacked *unpacked)
{
	return unpacked->folder;
}

const char *unpacked_profile(const struct unpacked *unpacked)
{
	return unpacked->profile;
}

const char *unpacked_files(const struct unpacked *unpacked)
{
	return unpacked->files;
}

const char *unpacked_sources(const struct unpacked *unpacked)
{
	return unpacked->sources;
}
