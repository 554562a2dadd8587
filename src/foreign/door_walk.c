/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/door_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

enum {
	MOST_LINKS = 40, /* the kernel's limit, path_resolution(7) */
	LINK_BYTES = 64,
	INFO_LIMIT = 4096,
};

struct walk {
	int at;	    /* the folder reached so far; owned */
	char *rest; /* of the path, from there; owned */
	char *here; /* the path of `at`, owned; NULL: not needed */
	unsigned links;
	bool sealed;
	struct door_way *way;
};

static long open2(int at, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | flags, .resolve = resolve };

	return syscall(SYS_openat2, at, path, &how, sizeof(how));
}

/* Sandboxes that do not know the call return EPERM, which openat2 itself never does. */
static bool has_no_open2(void)
{
	return errno == ENOSYS || errno == EPERM;
}

/* ---- mounts ---- */

static int keep_away(struct door_way *way, const char *path)
{
	const struct mount *mount = mounts_obstacle(way->mounts, path);

	if (!mount)
		return 0;
	way->device = mount->device;
	return -EREMOTE;
}

/* The path of @part in the folder @here. The caller frees it. */
static char *path_of_part(const char *here, const char *part)
{
	const char *slash = strrchr(here, '/');

	if (strcmp(part, ".") == 0)
		return xstrdup(here);
	if (strcmp(part, "..") == 0)
		return slash == here ? xstrdup("/") : xasprintf("%.*s", (int)(slash - here), here);
	return xasprintf("%s/%s", strcmp(here, "/") == 0 ? "" : here, part);
}

/* A path that stands for a folder whose own is longer than the kernel tells: it is in the same mount.
 * The walk crosses no mount below it, because that would have no path either. */
static char *path_of_deep(int at, const struct mounts *mounts)
{
	_cleanup_close_ int fd = openat(at, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(buf_done) struct buf info = { 0 };
	static const char name[] = "mnt_id:";
	const struct mount *mount = NULL;
	char path[LINK_BYTES];
	const char *line;
	uint32_t id;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (fd < 0 || file_read(path, INFO_LIMIT, &info) < 0)
		return NULL;
	line = strstr(buf_text(&info), name);
	if (line && sscanf(line + sizeof(name) - 1, "%" SCNu32, &id) == 1)
		mount = mounts_by_id(mounts, id);
	return mount ? path_of_part(mount->point, "[deep]") : NULL;
}

/* The path of an open folder, from the kernel without asking the file system. The caller frees it.
 */
static char *path_of(int at, const struct mounts *mounts)
{
	char link[LINK_BYTES], path[PATH_MAX];
	ssize_t size;

	if (at == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/self/cwd");
	else
		snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	size = readlink(link, path, sizeof(path) - 1);
	if (size < 0 && errno == ENAMETOOLONG)
		return path_of_deep(at, mounts);
	path[size > 0 ? size : 0] = '\0';
	return path[0] == '/' ? xstrdup(path) : NULL;
}

/* 0 if the walk may begin at this folder, else negative errno. */
static int set_out(struct walk *walk, int at)
{
	if (!walk->way || !walk->way->mounts)
		return 0;
	walk->way->device = 0;
	walk->here = path_of(at, walk->way->mounts);
	return walk->here ? keep_away(walk->way, walk->here) : -EREMOTE;
}

/* Does not cross a mount that appeared after the mounts were read. */
static int open_next(const struct walk *walk, const char *part, const char *next)
{
	bool crosses = mounts_has(walk->way->mounts, next) || strcmp(part, "..") == 0;
	long fd = open2(walk->at, part, O_NOFOLLOW, crosses ? 0 : RESOLVE_NO_XDEV);

	if (fd < 0 && has_no_open2())
		fd = openat(walk->at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		return (int)fd;
	return errno == EXDEV ? -EREMOTE : -errno;
}

/* *ret_here: the path of the opened part; NULL if the walk does not need it. */
static int open_part(const struct walk *walk, const char *part, char **ret_here)
{
	_cleanup_free_ char *next = NULL;
	int fd;

	if (!walk->here) {
		*ret_here = NULL;
		fd = openat(walk->at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	next = path_of_part(walk->here, part);
	fd = keep_away(walk->way, next);
	if (fd == 0)
		fd = open_next(walk, part, next);
	*ret_here = fd >= 0 ? steal_ptr(next) : NULL;
	return fd;
}

/* ---- in user space ---- */

/* Replaces a link by its target. The link's owner, who may change it, decides where it leads. */
static int follow(struct walk *walk, int link, const char *after)
{
	char target[PATH_MAX];
	struct statfs fs;
	ssize_t size;
	char *rest;

	if (walk->sealed || ++walk->links > MOST_LINKS || fstatfs(link, &fs) < 0 ||
	    fs.f_type == PROC_SUPER_MAGIC)
		return -ELOOP;
	if (walk->way && walk->way->heeds_links)
		readers_add_owner(&walk->way->link_owners, link);
	size = readlinkat(link, "", target, sizeof(target));
	if (size < 0)
		return -errno;
	if (size == 0 || (size_t)size == sizeof(target))
		return -ENAMETOOLONG;
	rest = xasprintf("%.*s/%s", (int)size, target, after);
	if (*after == '\0')
		rest[size] = '\0';
	free(walk->rest);
	walk->rest = rest;
	return 0;
}

static void arrive(struct walk *walk, int at, char *here)
{
	close(walk->at);
	walk->at = at;
	free(walk->here);
	walk->here = here;
}

/* Opens the next part of the path. *ret_done: it was the last. */
static int step(struct walk *walk, bool *ret_done)
{
	_cleanup_close_ int next = -1;
	_cleanup_free_ char *here = NULL;
	char *name = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(name, "/"), gap = strspn(name + length, "/");
	char part[NAME_MAX + 1];
	struct stat st;

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(part, length ? name : ".", length ? length : 1);
	part[length ? length : 1] = '\0';
	if (walk->sealed && strcmp(part, "..") == 0)
		return -EXDEV;
	next = open_part(walk, part, &here);
	if (next < 0)
		return next;
	if (fstat(next, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return follow(walk, next, name + length + gap);
	arrive(walk, steal_fd(next), steal_ptr(here));
	*ret_done = name[length + gap] == '\0';
	if (gap && !S_ISDIR(st.st_mode))
		return -ENOTDIR;
	memmove(walk->rest, name + length + gap, strlen(name + length + gap) + 1);
	return 0;
}

/* An absolute path or link starts at the root folder. */
static int go_to_root(struct walk *walk)
{
	int rc = walk->here ? keep_away(walk->way, "/") : 0;

	if (rc < 0)
		return rc;
	if (walk->sealed)
		return -EXDEV;
	arrive(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), walk->here ? xstrdup("/") : NULL);
	return walk->at < 0 ? -errno : 0;
}

static int go(struct walk *walk)
{
	bool done = false;
	int rc = walk->at < 0 ? -errno : *walk->rest ? 0 : -ENOENT;

	while (rc == 0 && !done) {
		rc = walk->rest[0] == '/' ? go_to_root(walk) : 0;
		if (rc == 0)
			rc = step(walk, &done);
	}
	return rc;
}

int door_walk_by_hand(int at, const char *path, bool sealed, struct door_way *way)
{
	int from = *path == '/' && !sealed ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	struct walk walk = { .at = -1, .rest = xstrdup(path), .sealed = sealed, .way = way };
	int rc = set_out(&walk, from >= 0 ? from : at);

	if (rc == 0) {
		walk.at = from >= 0 ? steal_fd(from)
				    : openat(at, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		rc = go(&walk);
	}
	if (from >= 0)
		close(from);
	free(walk.rest);
	free(walk.here);
	if (rc == 0)
		return walk.at;
	if (walk.at >= 0)
		close(walk.at);
	return rc;
}

/* ---- in the kernel ---- */

/* Walks without leaving the mount where the path begins. */
static long walk_within(int at, const char *path, uint64_t resolve, struct door_way *way)
{
	_cleanup_free_ char *here = *path == '/' ? xstrdup("/") : path_of(at, way->mounts);

	if (!here || keep_away(way, here) < 0) {
		errno = EXDEV; /* the walk in user space reports the details */
		return -1;
	}
	return open2(at, path, 0, resolve | RESOLVE_NO_XDEV);
}

int door_walk(int at, const char *path, bool sealed, struct door_way *way)
{
	bool keeps_away = way && way->mounts, heeds_links = way && way->heeds_links;
	uint64_t resolve = RESOLVE_NO_MAGICLINKS;
	long fd;

	if (heeds_links)
		resolve |= RESOLVE_NO_SYMLINKS;
	if (sealed)
		resolve |= RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
	fd = keeps_away ? walk_within(at, path, resolve, way) : open2(at, path, 0, resolve);
	if (fd >= 0)
		return (int)fd;
	if (has_no_open2() || (keeps_away && errno == EXDEV) ||
	    (heeds_links && !sealed && errno == ELOOP))
		return door_walk_by_hand(at, path, sealed, way);
	return -errno;
}
