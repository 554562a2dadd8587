/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/debug_files/debug_packages.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

static const char DPKG_FOLDER[] = "/var/lib/dpkg/info";
static const char LIST_SUFFIX[] = ".list";

enum { MOST_LIST_BYTES = 64 << 20 };

/* True if the path is a line of the list. With merged folders the package may have it without
 * "/usr". */
static bool lists(const char *text, size_t size, const char *path)
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
	return lists(text, size, path) ||
	       (strncmp(path, "/usr/", 5) == 0 && lists(text, size, path + 4));
}

/* The length of PACKAGE in "PACKAGE.list" or "PACKAGE:MACHINE.list"; 0: not the name of a list. */
static size_t package_length(const char *name)
{
	size_t length = strlen(name), suffix = sizeof(LIST_SUFFIX) - 1;

	if (length <= suffix || strcmp(name + length - suffix, LIST_SUFFIX) != 0)
		return 0;
	return strcspn(name, ":") < length ? strcspn(name, ":") : length - suffix;
}

bool debug_packages_owner(const char *folder, const char *path, struct buf *package)
{
	_cleanup_closedir_ DIR *dir = opendir(folder ? folder : DPKG_FOLDER);
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

void debug_packages_advise(const char *path, struct buf *advice)
{
	struct buf package = { 0 };

	if (debug_packages_owner(NULL, path, &package))
		buf_printf(advice,
			   "install %s-dbgsym (Debian's debug archive), or set DEBUGINFOD_URLS",
			   buf_text(&package));
	else if (strncmp(path, "/usr/", 5) == 0 && strncmp(path, "/usr/local/", 11) != 0)
		buf_add_str(advice, "install its package's debug symbols, or set DEBUGINFOD_URLS");
	else
		buf_add_str(advice, "compile it with -g");
	buf_done(&package);
}
