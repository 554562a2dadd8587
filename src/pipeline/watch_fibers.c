/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/watch_fibers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "collect/proc_scan.h"
#include "pipeline/watch_libraries.h"

enum { MOST_MAP_PATH = 96 };

/* makecontext(3); Boost.Context; libco; libcoro; libtask; State Threads. */
static const char *const switching[] = {
	"swapcontext",	 "setcontext", "makecontext",	"jump_fcontext", "ontop_fcontext",
	"make_fcontext", "co_switch",  "coro_transfer", "coro_create",	 "st_thread_create",
};

/* The C library has the first of these for those who want them. */
static bool is_c_library(const char *name)
{
	return strncmp(name, "libc.", 5) == 0 || strncmp(name, "libc-", 5) == 0 ||
	       strncmp(name, "ld-", 3) == 0;
}

static bool switches(const struct watch_image *image)
{
	const struct function_list *list = watch_image_functions(image);

	for (size_t i = 0; i < sizeof(switching) / sizeof(*switching); i++) {
		if (function_list_imports(list, switching[i]))
			return true;
	}
	for (size_t i = 0; i < function_list_count(list); i++) {
		const char *name = function_list_name(list, function_list_at(list, i)->name);

		for (size_t j = 0; j < sizeof(switching) / sizeof(*switching); j++) {
			if (strcmp(name, switching[j]) == 0)
				return true;
		}
	}
	return false;
}

static void look_at(struct watch_fibers *fibers, const char *path, const char *name)
{
	struct watch_image *image;

	if (!fibers->found && !is_c_library(name) &&
	    watch_sources_open(fibers->sources, path, name, &image, NULL) == 0)
		fibers->found = switches(image);
}

static void take_library(void *context, const char *path)
{
	look_at(context, path, file_base(path));
}

static void take_map(void *context, int32_t pid, const struct proc_map *map)
{
	char path[MOST_MAP_PATH];

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, pid,
		 map->start, map->end);
	if (map->path[0] == '/')
		look_at(context, path, file_base(map->path));
}

static void look_around(struct watch_fibers *fibers, const struct watch_image *image)
{
	fibers->found |= !is_c_library(file_base(watch_image_shown(image))) && switches(image);
	if (!fibers->found)
		watch_libraries_each(watch_sources_foreign(fibers->sources), image, take_library,
				     fibers);
}

bool watch_fibers_may_be(struct watch_fibers *fibers, const struct watch_image *image)
{
	const struct proc_visitor visitor = { .map = take_map,
					      .context = fibers,
					      .foreign = watch_sources_foreign(fibers->sources) };
	struct watch_image *program;

	if (!fibers->asked && fibers->pid)
		proc_scan_one(fibers->pid, &visitor, NULL);
	if (!fibers->asked && watch_sources_program(fibers->sources, &program, NULL) == 0)
		look_around(fibers, program);
	fibers->asked = true;
	if (!fibers->found && fibers->last != image)
		look_around(fibers, image);
	fibers->last = image;
	return fibers->found;
}
