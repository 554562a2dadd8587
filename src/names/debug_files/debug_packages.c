/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/debug_files/debug_packages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

static const char LIST_SUFFIX[] = ".list";

enum {
	MOST_LIST_BYTES = 64 << 20,
	MOST_OFFERED_BYTES = 256 << 20, /* of an archive's list: Debian's has 55 MB */
};

/* True if the path is a line of the list. With merged folders the package may have it without
 * "/usr". */
static bool has_line(const char *text, size_t size, const char *path)
{
	size_t length = strlen(path);
	const char *end = text + size;

	for (const char *at = text; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t line = (size_t)((newline ? newline : end) - at);

		if (line == length && memcmp(at, path, length) == 0)
			return true;
		if (!newline)
			return false;
		at = newline + 1;
	}
	return false;
}

static bool is_in(const char *text, size_t size, const char *path)
{
	return has_line(text, size, path) ||
	       (strncmp(path, "/usr/", 5) == 0 && has_line(text, size, path + 4));
}

/* The length of PACKAGE in "PACKAGE.list" or "PACKAGE:MACHINE.list"; 0: not the name of a list. */
static size_t package_length(const char *name)
{
	size_t length = strlen(name), suffix = sizeof(LIST_SUFFIX) - 1;

	if (length <= suffix || strcmp(name + length - suffix, LIST_SUFFIX) != 0)
		return 0;
	return strcspn(name, ":") < length ? strcspn(name, ":") : length - suffix;
}

/* Appends the name of the package that contains the file. False: none of them has it. */
static bool find_owner(const char *folder, const char *path, struct buf *package)
{
	_cleanup_closedir_ DIR *dir = opendir(folder);
	const struct dirent *entry;
	struct buf list = { 0 };
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		size_t length = package_length(entry->d_name);

		buf_clear(&list);
		if (!length || file_read_at(dirfd(dir), entry->d_name, MOST_LIST_BYTES, &list) < 0)
			continue;
		found = is_in(buf_text(&list), list.size, path);
		if (found)
			buf_add(package, entry->d_name, length);
	}
	buf_done(&list);
	return found;
}

/* ---- packages that an archive offers ---- */

static bool is_offer(const char *name)
{
	static const char suffix[] = "_Packages";
	size_t length = strlen(name);

	return length >= sizeof(suffix) - 1 &&
	       strcmp(name + length - (sizeof(suffix) - 1), suffix) == 0;
}

/* True if one of the archives' lists, which are paragraphs that begin with a package's name, has it. */
static bool is_offered(const char *folder, const char *package)
{
	_cleanup_free_ char *line = xasprintf("Package: %s", package);
	_cleanup_closedir_ DIR *dir = opendir(folder);
	const struct dirent *entry;
	struct buf list = { 0 };
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		buf_clear(&list);
		if (is_offer(entry->d_name) &&
		    file_read_at(dirfd(dir), entry->d_name, MOST_OFFERED_BYTES, &list) == 0)
			found = has_line(buf_text(&list), list.size, line);
	}
	buf_done(&list);
	return found;
}

/* Most packages have a NAME-dbgsym, in an archive of its own; some libraries have a NAME-dbg beside them
 * instead. */
static void add_package(const char *offers, const char *owner, const char *served,
			struct buf *advice)
{
	_cleanup_free_ char *dbgsym = xasprintf("%s-dbgsym", owner);
	_cleanup_free_ char *dbg = xasprintf("%s-dbg", owner);

	if (is_offered(offers, dbgsym))
		buf_printf(advice, "install %s", dbgsym);
	else if (is_offered(offers, dbg))
		buf_printf(advice, "install %s", dbg);
	else
		buf_printf(advice,
			   "install %s from Debian's debug archive (or %s, where there is one)",
			   dbgsym, dbg);
	buf_printf(advice, ", or %s", served);
}

void debug_packages_advise(const struct debug_packages_lists *lists, const char *path,
			   const char *served, const char *own, struct buf *advice)
{
	struct buf package = { 0 };

	if (find_owner(lists->installed, path, &package))
		add_package(lists->offered, buf_text(&package), served, advice);
	else if (strncmp(path, "/usr/", 5) == 0 && strncmp(path, "/usr/local/", 11) != 0)
		buf_printf(advice, "install its package's debug symbols, or %s", served);
	else
		buf_add_str(advice, own);
	buf_done(&package);
}
