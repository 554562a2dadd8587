/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/door_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum { MOST_LINKS = 40 }; /* as the kernel has it, path_resolution(7) */

struct walk {
	int at;	    /* the folder that was reached; owned */
	char *rest; /* of the path, from there; owned */
	unsigned links;
	bool sealed;
};

/* ---- by hand ---- */

/* Puts a link's text in the place of its name. */
static int follow(struct walk *walk, int link, const char *behind)
{
	char target[PATH_MAX];
	struct statfs fs;
	ssize_t size;
	char *rest;

	if (walk->sealed || ++walk->links > MOST_LINKS || fstatfs(link, &fs) < 0 ||
	    fs.f_type == PROC_SUPER_MAGIC)
		return -ELOOP;
	size = readlinkat(link, "", target, sizeof(target));
	if (size < 0)
		return -errno;
	if (size == 0 || (size_t)size == sizeof(target))
		return -ENAMETOOLONG;
	rest = xasprintf("%.*s/%s", (int)size, target, behind);
	if (*behind == '\0')
		rest[size] = '\0';
	free(walk->rest);
	walk->rest = rest;
	return 0;
}

/* Opens the next part of the path. *ret_done: it was the last one. */
static int step(struct walk *walk, bool *ret_done)
{
	_cleanup_close_ int next = -1;
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
	next = openat(walk->at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0 || fstat(next, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return follow(walk, next, name + length + gap);
	close(walk->at);
	walk->at = steal_fd(next);
	*ret_done = name[length + gap] == '\0';
	if (gap && !S_ISDIR(st.st_mode))
		return -ENOTDIR;
	memmove(walk->rest, name + length + gap, strlen(name + length + gap) + 1);
	return 0;
}

/* An absolute path, or link, begins at the root folder. */
static int go_to_root(struct walk *walk)
{
	if (walk->rest[0] != '/')
		return 0;
	if (walk->sealed)
		return -EXDEV;
	close(walk->at);
	walk->at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->at < 0 ? -errno : 0;
}

int door_walk_by_hand(int at, const char *path, bool sealed)
{
	struct walk walk = { .at = openat(at, ".", O_PATH | O_DIRECTORY | O_CLOEXEC),
			     .rest = xstrdup(path),
			     .sealed = sealed };
	int rc = walk.at < 0 ? -errno : *path ? 0 : -ENOENT;
	bool done = false;

	while (rc == 0 && !done) {
		rc = go_to_root(&walk);
		if (rc == 0)
			rc = step(&walk, &done);
	}
	free(walk.rest);
	if (rc == 0)
		return walk.at;
	if (walk.at >= 0)
		close(walk.at);
	return rc;
}

/* ---- by the kernel ---- */

int door_walk(int at, const char *path, bool sealed)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
	long fd;

	if (sealed)
		how.resolve |= RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
	fd = syscall(SYS_openat2, at, path, &how, sizeof(how));
	if (fd >= 0)
		return (int)fd;
	/* sandboxes that do not know the call answer EPERM, which it never says of itself */
	if (errno == ENOSYS || errno == EPERM)
		return door_walk_by_hand(at, path, sealed);
	return -errno;
}
