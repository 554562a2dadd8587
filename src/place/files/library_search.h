/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a shared library is that is known by its name alone, as ld.so(8) finds it: the folders of
 * LD_LIBRARY_PATH, /etc/ld.so.cache, the folders that need no telling.
 */
#ifndef PLACE_FILES_LIBRARY_SEARCH_H
#define PLACE_FILES_LIBRARY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct foreign;

/* Is @file, the last part of a path, what a person means by @name: the same, or NAME.so,
 * NAME.so.VERSION, NAME-VERSION.so, with or without "lib" in front? */
bool library_search_fits(const char *name, const char *file);

/* Appends the path of the library for this machine's own word size. @foreign: as for door_stat.
 * @root: put in front of every path ("": nothing). False: there is none. */
bool library_search_find(struct foreign *foreign, const char *root, const char *name,
			 struct buf *path);

/* Calls @give for each library of a cache file's bytes (the format of glibc since 2.2, its newer
 * part), until that returns false. */
void library_search_each(const void *cache, size_t size,
			 bool (*give)(void *context, const char *name, const char *path),
			 void *context);

#endif
