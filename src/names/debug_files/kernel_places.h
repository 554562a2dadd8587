/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the files of a kernel and its modules are that may have debug information: as distributions
 * lay them out, and as `make` leaves them. */
#ifndef NAMES_DEBUG_FILES_KERNEL_PLACES_H
#define NAMES_DEBUG_FILES_KERNEL_PLACES_H

#include <stdbool.h>

/* True: this is it, look no further. */
typedef bool (*kernel_place_try)(void *context, const char *path);

/* Places under a folder of debug files: of the kernel of that release (@module NULL), or of one of
 * its modules, by its name in /proc/modules. @root: what all paths are under that are read here;
 * NULL: nothing. */
bool kernel_places_under(const char *folder, const char *release, const char *module,
			 const char *root, kernel_place_try try, void *context);
/* Those that are under no such folder. */
bool kernel_places_system(const char *release, const char *module, const char *root,
			  kernel_place_try try, void *context);

/* The path of a module in its folder of modules, out of the text of modules.dep(5): the caller's;
 * without ".gz", ".xz" and ".zst"; NULL: there is none of that name. */
char *kernel_places_module(const char *text, const char *module);

#endif
