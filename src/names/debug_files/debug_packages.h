/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a person can get the debug information of a file that has none. */
#ifndef NAMES_DEBUG_FILES_DEBUG_PACKAGES_H
#define NAMES_DEBUG_FILES_DEBUG_PACKAGES_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends to @package the name of the package that contains the file at @path, by dpkg's lists in
 * @folder (NULL: /var/lib/dpkg/info). False: none of them has it. */
bool debug_packages_owner(const char *folder, const char *path, struct buf *package);
/* Appends advice: what to install or to do. */
void debug_packages_advise(const char *path, struct buf *advice);

#endif
