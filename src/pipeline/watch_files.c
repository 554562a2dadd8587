/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/watch_files.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "collect/proc_scan.h"
#include "resolve/library_search.h"

static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* ---- in a process ---- */

/* The mapping of a name, among those of a process. */
struct mapped_search {
	int32_t pid;
	const char *name;
	char *found;	     /* its path there; owned; NULL: none yet */
	char *other;	     /* a second one, different; owned */
	bool exact;	     /* the name itself, not only what it may stand for */
	struct proc_map map; /* of found; its path is not valid any more */
};

static void take_map(void *context, int32_t pid, const struct proc_map *map)
{
	struct mapped_search *search = context;
	const char *base = file_base(map->path);
	bool exact = strcmp(base, search->name) == 0;

	(void)pid;
	if (map->path[0] != '/' ||
	    (!exact && (search->exact || !library_search_fits(search->name, base))))
		return;
	if (search->found && (exact == search->exact)) {
		if (strcmp(search->found, map->path) != 0 && !search->other)
			search->other = xstrdup(map->path);
		return;
	}
	free(search->found);
	free(search->other);
	search->other = NULL;
	search->found = xstrdup(map->path);
	search->exact = exact;
	search->map = *map;
}

/* A path by which the mapped file can be opened: in the process's root, or where that is another
 * file by now, through the mapping itself. */
static void add_mapped_path(const struct mapped_search *search, struct buf *path)
{
	size_t before = path->size;
	struct stat st;

	buf_printf(path, "/proc/%" PRId32 "/root%s", search->pid, search->found);
	if (stat(buf_text(path) + before, &st) == 0 && st.st_ino == search->map.inode)
		return;
	path->size = before;
	buf_printf(path, "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, search->pid,
		   search->map.start, search->map.end);
}

/* 1: found, 0: the process has nothing of that name. */
static int find_mapped(int32_t pid, const char *name, struct buf *path, struct err *err)
{
	struct mapped_search search = { .pid = pid, .name = name };
	const struct proc_visitor visitor = { .map = take_map, .context = &search };
	int rc = proc_scan_one(pid, &visitor, err);

	if (rc == 0 && search.other)
		rc = err_set(err, -ENOTUNIQ, "'%s' is %s and %s in process %" PRId32 ": name one",
			     name, search.found, search.other, pid);
	if (rc == 0 && search.found) {
		add_mapped_path(&search, path);
		rc = 1;
	}
	free(search.found);
	free(search.other);
	return rc;
}

static int add_executable(int32_t pid, struct buf *path, struct err *err)
{
	char link[64], target[PATH_MAX];
	ssize_t length;
	size_t before = path->size;

	snprintf(link, sizeof(link), "/proc/%" PRId32 "/exe", pid);
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return err_set(err, -errno, "%s: %s", link,
			       errno == ENOENT ? "there is no such process" : strerror(errno));
	target[length] = '\0';
	buf_printf(path, "/proc/%" PRId32 "/root%s", pid, target);
	if (!is_regular(buf_text(path) + before)) { /* removed, or replaced */
		path->size = before;
		buf_add_str(path, link);
	}
	return 0;
}

/* ---- by name alone ---- */

static bool find_in_path(const char *name, struct buf *path)
{
	const char *told = getenv("PATH");
	char *folders = xstrdup(told ? told : "/usr/bin:/bin"), *rest = folders;
	const char *folder;
	size_t before = path->size;
	bool found = false;

	while (!found && (folder = strsep(&rest, ":"))) {
		path->size = before;
		buf_printf(path, "%s/%s", *folder ? folder : ".", name);
		found = access(buf_text(path) + before, X_OK) == 0 &&
			is_regular(buf_text(path) + before);
	}
	if (!found)
		path->size = before;
	free(folders);
	return found;
}

static int find_typed(const struct watch_view_of *view, const char *name, struct buf *path,
		      struct err *err)
{
	size_t before = path->size;

	if (view->pid && *name == '/') {
		buf_printf(path, "/proc/%" PRId32 "/root%s", view->pid, name);
		if (is_regular(buf_text(path) + before))
			return 0;
		path->size = before;
	}
	if (access(name, F_OK) < 0)
		return err_set(err, -errno, "%s: %s", name, strerror(errno));
	if (!is_regular(name))
		return err_set(err, -EINVAL, "%s: is no regular file", name);
	buf_add_str(path, name);
	return 0;
}

int watch_files_find(const struct watch_view_of *view, const char *name, struct buf *path,
		     struct err *err)
{
	int rc = 0;

	if (strchr(name, '/'))
		return find_typed(view, name, path, err);
	if (view->pid)
		rc = find_mapped(view->pid, name, path, err);
	if (rc)
		return rc < 0 ? rc : 0;
	if (view->command && strcmp(file_base(view->command), name) == 0)
		return watch_files_program(view, path, err);
	if (find_in_path(name, path) || library_search_find("", name, path))
		return 0;
	return err_set(
		err, -ENOENT,
		"there is no '%s': neither a module of the kernel, %sa program in PATH, nor a "
		"library; a file here is ./%s",
		name, view->pid ? "mapped by the process, " : "", name);
}

int watch_files_program(const struct watch_view_of *view, struct buf *path, struct err *err)
{
	if (view->pid)
		return add_executable(view->pid, path, err);
	if (!view->command)
		return err_set(err, -ENOENT, "no process and no command is chosen");
	if (strchr(view->command, '/'))
		return find_typed(view, view->command, path, err);
	return find_in_path(view->command, path)
		       ? 0
		       : err_set(err, -ENOENT, "%s: there is no such command", view->command);
}
