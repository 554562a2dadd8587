/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a person can get the debug information of a file that has none. */
#ifndef NAMES_DEBUG_FILES_DEBUG_PACKAGES_H
#define NAMES_DEBUG_FILES_DEBUG_PACKAGES_H

#include "base/buf.h"

/* Folders. */
struct debug_packages_lists {
	const char *installed; /* dpkg's lists of the files in packages */
	const char *
		offered; /* apt's lists of the packages in archives; compressed ones tell nothing */
};

#define DEBUG_PACKAGES_LISTS                       \
	(&(const struct debug_packages_lists){     \
		.installed = "/var/lib/dpkg/info", \
		.offered = "/var/lib/apt/lists",   \
	})

/* Appends advice for the file at @path: what to install, or @own for a file of no package, as
 * "compile it with -g". @served: how the caller asks a server, as "set DEBUGINFOD_URLS". Of the
 * packages with debug information it names the one that is offered, if the lists tell. */
void debug_packages_advise(const struct debug_packages_lists *lists, const char *path,
			   const char *served, const char *own, struct buf *advice);

#endif
