/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where we keep files that can be made again: ${XDG_CACHE_HOME:-~/.cache}/prospect/. Root has
 * /var/cache/prospect: root reads only files of its own, also under sudo.
 */
#ifndef BASE_CACHE_PLACE_H
#define BASE_CACHE_PLACE_H

#include <stddef.h>

/* The path of the folder @name in it, whether it exists or not. -ENOENT: there is no home
 * folder. */
int cache_place(const char *name, char *ret_path, size_t size);

#endif
