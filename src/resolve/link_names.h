/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a program known by another name too, through a link in a folder programs are found in? */
#ifndef RESOLVE_LINK_NAMES_H
#define RESOLVE_LINK_NAMES_H

#include <stdbool.h>
#include <sys/types.h>

/* The kernel cuts comm at this many characters. */
enum { LINK_NAMES_COMM_CUT = 15 };

/* Does an entry of @folder whose name is @comm (or, of a comm that may have been cut, begins with
 * it) lead to the file (dev, inode)? */
bool link_names_in(const char *folder, const char *comm, dev_t dev, ino_t inode);
/* The same for each folder of a PATH, and for the folder of @file. @path may be NULL. */
bool link_names_find(const char *file, const char *path, const char *comm, dev_t dev, ino_t inode);

#endif
