/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to get the debug information of a file that has none: the words a person can type. */
#ifndef NAMES_DEBUG_FILES_DEBUG_PACKAGES_H
#define NAMES_DEBUG_FILES_DEBUG_PACKAGES_H

#include <stdbool.h>

#include "base/buf.h"

/* The package that the file at @path came with, by dpkg's own lists in @folder (NULL:
 * /var/lib/dpkg/info), appended to @package. False: none of them has it. */
bool debug_packages_owner(const char *folder, const char *path, struct buf *package);
/* Appends what to do. */
void debug_packages_advise(const char *path, struct buf *advice);

#endif
