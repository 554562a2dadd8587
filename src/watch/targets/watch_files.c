/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_files.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "foreign/live_task.h"
#include "place/files/library_search.h"
#include "proc/proc_scan.h"

enum { MOST_ENTRIES = 4096 }; /* of a dynamic section */

/* ---- paths that may lead through /proc ---- */

static const char proc[] = "/proc/";

static bool is_of_proc(const char *path)
{
	return strncmp(path, proc, sizeof(proc) - 1) == 0;
}

/* The process whose /proc the path goes through; 0: none, or prospect's own. */
static int32_t pid_of(const char *path)
{
	char *end;
	long pid = strtol(path + sizeof(proc) - 1, &end, 10);

	return *end == '/' && pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0;
}

int watch_files_stat(struct foreign *foreign, const char *path, struct stat *ret_stat)
{
	int32_t pid;

	if (!is_of_proc(path))
		return door_stat(foreign, path, ret_stat);
	pid = pid_of(path);
	/* /proc/self would differ in the reading process */
	return door_stat_magic(pid ? foreign : NULL, path, pid, ret_stat);
}

int watch_files_open(struct foreign *foreign, const char *path, struct door_file *ret_file)
{
	const struct readers ourselves = { .foreign = foreign };
	int32_t pid;

	if (!is_of_proc(path))
		return door_open_file(&ourselves, NULL, path, ret_file, NULL);
	pid = pid_of(path);
	return door_open_magic(pid ? foreign : NULL, path, pid, 0, ret_file);
}

/* 0 or negative errno; -EINVAL: not a regular file. */
static int check_regular(const struct watch_view_of *view, const char *path)
{
	struct stat st;
	int rc = watch_files_stat(view->foreign, path, &st);

	return rc == 0 && !S_ISREG(st.st_mode) ? -EINVAL : rc;
}

static int does_not_answer(const char *name, struct err *err)
{
	return err_set(err, -ETIMEDOUT, "%s: its file system does not answer", name);
}

/* ---- in a process ---- */

/* Searches a process's mappings for a name. */
struct mapped_search {
	int32_t pid;
	const char *name;
	char *found;	     /* its path in the process; owned; NULL: none yet */
	char *other;	     /* a second one, different; owned */
	bool exact;	     /* the name is exact, not an abbreviation */
	bool late;	     /* reading the mappings timed out */
	struct proc_map map; /* of found; its path is no longer valid */
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

static void take_late(void *context, int32_t pid)
{
	(void)pid;
	((struct mapped_search *)context)->late = true;
}

/* Appends a path that opens the mapped file: in the process's root or, if another file is there by
 * now, through the mapping itself. */
static void add_mapped_path(const struct watch_view_of *view, const struct mapped_search *search,
			    struct buf *path)
{
	size_t before = path->size;
	struct stat st;

	buf_printf(path, "/proc/%" PRId32 "/root%s", live_task(search->pid), search->found);
	if (watch_files_stat(view->foreign, buf_text(path) + before, &st) == 0 &&
	    st.st_ino == search->map.inode)
		return;
	path->size = before;
	buf_printf(path, "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, live_task(search->pid),
		   search->map.start, search->map.end);
}

/* 1: found; 0: the process has mapped no file of that name. */
static int find_mapped(const struct watch_view_of *view, const char *name, struct buf *path,
		       struct err *err)
{
	int32_t pid = view->pid;
	struct mapped_search search = { .pid = pid, .name = name };
	const struct proc_visitor visitor = {
		.map = take_map, .late = take_late, .context = &search, .foreign = view->foreign
	};
	int rc = proc_scan_one(pid, &visitor, err);

	if (rc == 0 && search.late)
		rc = err_set(err, -ETIMEDOUT,
			     "cannot read the mappings of process %" PRId32
			     ": it waits for a file system that does not answer",
			     pid);
	if (rc == 0 && search.other)
		rc = err_set(err, -ENOTUNIQ,
			     "'%s' is ambiguous: %s or %s in process %" PRId32 "; write the path",
			     name, search.found, search.other, pid);
	if (rc == 0 && search.found) {
		add_mapped_path(view, &search, path);
		rc = 1;
	}
	free(search.found);
	free(search.other);
	return rc;
}

static int add_executable(const struct watch_view_of *view, struct buf *path, struct err *err)
{
	int32_t pid = view->pid;
	char link[64], target[PATH_MAX];
	ssize_t length;
	size_t before = path->size;
	int rc;

	snprintf(link, sizeof(link), "/proc/%" PRId32 "/exe", live_task(pid));
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return err_set(err, -errno, "%s: %s", link,
			       errno == ENOENT ? "no such process" : strerror(errno));
	target[length] = '\0';
	buf_printf(path, "/proc/%" PRId32 "/root%s", live_task(pid), target);
	rc = check_regular(view, buf_text(path) + before);
	if (rc == -ETIMEDOUT)
		return does_not_answer(target, err);
	if (rc < 0) { /* removed, or replaced */
		path->size = before;
		buf_add_str(path, link);
	}
	return 0;
}

/* ---- by name alone ---- */

static bool find_in_path(const struct watch_view_of *view, const char *name, struct buf *path)
{
	const char *told = getenv("PATH");
	char *folders = xstrdup(told ? told : "/usr/bin:/bin"), *rest = folders;
	const char *folder;
	size_t before = path->size;
	bool found = false;

	while (!found && (folder = strsep(&rest, ":"))) {
		path->size = before;
		buf_printf(path, "%s/%s", *folder ? folder : ".", name);
		found = check_regular(view, buf_text(path) + before) == 0 &&
			access(buf_text(path) + before, X_OK) == 0;
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
	int rc;

	if (view->pid && *name == '/') {
		buf_printf(path, "/proc/%" PRId32 "/root%s", live_task(view->pid), name);
		rc = check_regular(view, buf_text(path) + before);
		if (rc == -ETIMEDOUT)
			return does_not_answer(name, err);
		if (rc == 0)
			return 0;
		path->size = before;
	}
	rc = check_regular(view, name);
	if (rc == -ETIMEDOUT)
		return does_not_answer(name, err);
	if (rc == -EINVAL)
		return err_set(err, -EINVAL, "%s: not a regular file", name);
	if (rc < 0)
		return err_set(err, rc, "%s: %s", name, strerror(-rc));
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
		rc = find_mapped(view, name, path, err);
	if (rc)
		return rc < 0 ? rc : 0;
	if (view->command && strcmp(file_base(view->command), name) == 0)
		return watch_files_program(view, path, err);
	if (find_in_path(view, name, path) || library_search_find(view->foreign, "", name, path))
		return 0;
	return err_set(err, -ENOENT,
		       "'%s' was not found: neither a kernel module, %sa program in PATH nor a "
		       "library; for a file in this folder write ./%s",
		       name, view->pid ? "a file that the process maps, " : "", name);
}

int watch_files_program(const struct watch_view_of *view, struct buf *path, struct err *err)
{
	if (view->pid)
		return add_executable(view, path, err);
	if (!view->command)
		return err_set(err, -ENOENT, "no process and no command was given");
	if (strchr(view->command, '/'))
		return find_typed(view, view->command, path, err);
	return find_in_path(view, view->command, path)
		       ? 0
		       : err_set(err, -ENOENT, "%s: command not found", view->command);
}

/* ---- the libraries that a file needs ---- */

/* The dynamic section of a file, and its strings. */
struct dynamic {
	struct foreign *foreign;
	const struct elf_file *elf;
	const char *path;
	const struct elf_section *section, *strings;
	uint8_t *entries;
	char *names; /* NUL-terminated */
};

static bool read_dynamic(struct dynamic *dynamic)
{
	uint8_t *names = NULL;

	dynamic->section = elf_file_find(dynamic->elf, ".dynamic");
	dynamic->strings = elf_file_find(dynamic->elf, ".dynstr");
	if (!dynamic->section || !dynamic->strings ||
	    elf_file_read(dynamic->elf, dynamic->section, &dynamic->entries, NULL) < 0 ||
	    elf_file_read(dynamic->elf, dynamic->strings, &names, NULL) < 0)
		return false;
	dynamic->names = xmalloc(dynamic->strings->size + 1);
	memcpy(dynamic->names, names, dynamic->strings->size);
	dynamic->names[dynamic->strings->size] = '\0';
	free(names);
	return true;
}

/* The text of entry @number of kind @kind; NULL: none. */
static const char *text_of(const struct dynamic *dynamic, uint64_t kind, size_t number)
{
	struct reader reader =
		elf_file_reader(dynamic->elf, dynamic->entries, dynamic->section->size);

	for (size_t i = 0; i < MOST_ENTRIES && reader_left(&reader); i++) {
		uint64_t tag = elf_file_word(dynamic->elf, &reader);
		uint64_t value = elf_file_word(dynamic->elf, &reader);

		if (reader.bad || tag == DT_NULL)
			return NULL;
		if (tag == kind && value < dynamic->strings->size && number-- == 0)
			return dynamic->names + value;
	}
	return NULL;
}

/* Appends one folder of a run path; $ORIGIN (ld.so(8)) is the file's own folder. */
static void add_folder(const struct dynamic *dynamic, const char *folder, struct buf *path)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };

	for (size_t i = 0; i < sizeof(origins) / sizeof(*origins); i++) {
		size_t length = strlen(origins[i]);

		if (strncmp(folder, origins[i], length) == 0) {
			const char *base = file_base(dynamic->path);
			size_t before = (size_t)(base - dynamic->path);

			if (before == 0)
				buf_add_str(path, ".");
			buf_add(path, dynamic->path, before);
			buf_add_str(path, folder + length);
			return;
		}
	}
	buf_add_str(path, folder);
}

static bool find_in_run_path(const struct dynamic *dynamic, const char *name, struct buf *path)
{
	static const uint64_t kinds[] = { DT_RUNPATH, DT_RPATH };
	struct stat st;
	bool found = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !found; i++) {
		const char *text = text_of(dynamic, kinds[i], 0), *folder;
		char *folders = xstrdup(text ? text : ""), *rest = folders;

		while (!found && (folder = strsep(&rest, ":"))) {
			buf_clear(path);
			if (!*folder)
				continue;
			add_folder(dynamic, folder, path);
			buf_printf(path, "/%s", name);
			found = door_stat(dynamic->foreign, buf_text(path), &st) == 0;
		}
		free(folders);
	}
	return found;
}

static void find_library(const struct dynamic *dynamic, const char *name, struct buf *path)
{
	if (strchr(name, '/')) {
		buf_add_str(path, name);
		return;
	}
	if (find_in_run_path(dynamic, name, path))
		return;
	buf_clear(path);
	if (!library_search_find(dynamic->foreign, "", name, path))
		buf_clear(path);
}

void watch_files_libraries(struct foreign *foreign, const struct elf_file *elf, const char *path,
			   void (*give)(void *context, const char *path), void *context)
{
	struct dynamic dynamic = { .foreign = foreign, .elf = elf, .path = path };
	const char *name;

	if (read_dynamic(&dynamic)) {
		for (size_t i = 0; (name = text_of(&dynamic, DT_NEEDED, i)); i++) {
			struct buf found = { 0 };

			find_library(&dynamic, name, &found);
			if (found.size)
				give(context, buf_text(&found));
			buf_done(&found);
		}
	}
	free(dynamic.entries);
	free(dynamic.names);
}
