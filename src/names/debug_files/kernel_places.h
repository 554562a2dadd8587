/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths at which files of a kernel and its modules may have debug information: the layouts of
 * distributions and of `make`. */
#ifndef NAMES_DEBUG_FILES_KERNEL_PLACES_H
#define NAMES_DEBUG_FILES_KERNEL_PLACES_H

#include <stdbool.h>

/* True: found, stop the search. */
typedef bool (*kernel_place_try)(void *context, const char *path);

/* Paths under a folder of debug files: of the kernel of that release (@module NULL), or of one of
 * its modules, by its name in /proc/modules. @root: prefix of all paths that are read here; NULL:
 * none. */
bool kernel_places_under(const char *folder, const char *release, const char *module,
			 const char *root, kernel_place_try try, void *context);
/* The paths outside of such folders. */
bool kernel_places_system(const char *release, const char *module, const char *root,
			  kernel_place_try try, void *context);

/* The path of a module in its folder of modules, from the text of modules.dep(5), without ".gz",
 * ".xz" and ".zst"; the caller frees it. NULL: no module of that name. */
char *kernel_places_module(const char *text, const char *module);

#endif
