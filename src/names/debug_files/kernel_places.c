/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/debug_files/kernel_places.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

enum { MOST_LIST_BYTES = 64 << 20 };

/* %R is the release. */
static const char *const kernels_under[] = {
	"boot/vmlinux-%R",
	"boot/vmlinux-%R.debug",
	"lib/modules/%R/vmlinux",
	"lib/modules/%R/vmlinux.debug",
	"usr/lib/modules/%R/vmlinux",
	"usr/lib/modules/%R/vmlinux.debug",
	"vmlinux-%R",
	"vmlinux",
};

static const char *const kernels_of_system[] = {
	"/lib/modules/%R/build/vmlinux",
	"/lib/modules/%R/vmlinux",
	"/boot/vmlinux-%R",
};

/* Folders of modules, with modules.dep; or of their debug files, without it. */
static const char *const module_folders[] = { "lib/modules/%R", "usr/lib/modules/%R" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static char *with_release(const char *pattern, const char *release)
{
	const char *at = strstr(pattern, "%R");

	return at ? xasprintf("%.*s%s%s", (int)(at - pattern), pattern, release, at + 2)
		  : xstrdup(pattern);
}

static bool try_kernels(const char *folder, const char *const *patterns, size_t count,
			const char *release, kernel_place_try try, void *context)
{
	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *rest = with_release(patterns[i], release);
		_cleanup_free_ char *path = xasprintf("%s%s", folder, rest);

		if (try(context, path))
			return true;
	}
	return false;
}

/* The kernel's names of modules have '_' where the file's name has '-'. */
static bool is_module(const char *file, size_t length, const char *module)
{
	if (strlen(module) != length)
		return false;
	for (size_t i = 0; i < length; i++) {
		if ((file[i] == '-' ? '_' : file[i]) != (module[i] == '-' ? '_' : module[i]))
			return false;
	}
	return true;
}

char *kernel_places_module(const char *text, const char *module)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t length = strcspn(line, ":\n");
		const char *base = line + length, *end;

		while (base > line && base[-1] != '/')
			base--;
		end = strstr(base, ".ko");
		if (end && end < line + length && is_module(base, (size_t)(end - base), module))
			return xasprintf("%.*s.ko", (int)(end - line), line);
	}
	return NULL;
}

/* The module's path in its folder, from that folder's list; NULL: none. */
static char *find_module(const char *root, const char *folder, const char *module)
{
	_cleanup_free_ char *path = xasprintf("%s%s/modules.dep", root ? root : "", folder);
	struct buf text = { 0 };
	char *found = NULL;

	if (file_read(path, MOST_LIST_BYTES, &text) >= 0)
		found = kernel_places_module(buf_text(&text), module);
	buf_done(&text);
	return found;
}

/* Tries FOLDER/PLACE.debug, then FOLDER/PLACE. */
static bool try_both(const char *folder, const char *place, kernel_place_try try, void *context)
{
	_cleanup_free_ char *plain = xasprintf("%s/%s", folder, place);
	_cleanup_free_ char *debug = xasprintf("%s.debug", plain);

	return try(context, debug) || try(context, plain);
}

/* Tries paths under @folder ("" or with a slash at its end). The folder's own list, else the list
 * of the system's own modules, has the path within it. */
static bool try_modules(const char *folder, const char *release, const char *module,
			const char *root, kernel_place_try try, void *context)
{
	for (size_t i = 0; i < COUNT(module_folders); i++) {
		_cleanup_free_ char *rest = with_release(module_folders[i], release);
		_cleanup_free_ char *here = xasprintf("%s%s", folder, rest);
		_cleanup_free_ char *system = xasprintf("/%s", rest);
		_cleanup_free_ char *place = find_module(root, here, module);

		if (!place)
			place = find_module(root, system, module);
		if (place && try_both(here, place, try, context))
			return true;
	}
	return false;
}

/* Tries FOLDER/NAME.ko, unchanged and with '-' for each '_'. */
static bool try_names(const char *folder, const char *module, kernel_place_try try, void *context)
{
	_cleanup_free_ char *name = xasprintf("%s.ko", module);

	if (try_both(folder, name, try, context))
		return true;
	for (char *at = name; *at; at++)
		*at = *at == '_' ? '-' : *at;
	return try_both(folder, name, try, context);
}

bool kernel_places_under(const char *folder, const char *release, const char *module,
			 const char *root, kernel_place_try try, void *context)
{
	_cleanup_free_ char *slashed = xasprintf("%s/", folder);

	if (strchr(release, '/') || (module && strchr(module, '/')))
		return false;
	if (!module)
		return try_kernels(slashed, kernels_under, COUNT(kernels_under), release, try,
				   context);
	return try_modules(slashed, release, module, root, try, context) ||
	       try_names(folder, module, try, context);
}

bool kernel_places_system(const char *release, const char *module, const char *root,
			  kernel_place_try try, void *context)
{
	if (strchr(release, '/'))
		return false;
	if (module)
		return try_modules("/", release, module, root, try, context);
	return try_kernels("", kernels_of_system, COUNT(kernels_of_system), release, try, context);
}
