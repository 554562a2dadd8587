/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a shared library by its name alone, as ld.so(8) does: in the folders of LD_LIBRARY_PATH, in
 * /etc/ld.so.cache, then in the default folders.
 */
#ifndef PLACE_FILES_LIBRARY_SEARCH_H
#define PLACE_FILES_LIBRARY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct foreign;

/* True if @file, the last part of a path, is what a person means by @name: the same, or NAME.so,
 * NAME.so.VERSION, NAME-VERSION.so, with or without the prefix "lib". */
bool library_search_fits(const char *name, const char *file);

/* Appends the path of the library for this machine's own word size. @foreign: as for door_stat.
 * @root is prepended to every path ("": none). False: not found. */
bool library_search_find(struct foreign *foreign, const char *root, const char *name,
			 struct buf *path);

/* Calls @give for each library in the bytes of a cache file (the newer part of the format of glibc
 * 2.2 and later), until it returns false. */
void library_search_each(const void *cache, size_t size,
			 bool (*give)(void *context, const char *name, const char *path),
			 void *context);

#endif
