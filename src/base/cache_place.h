/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where what can be made again is kept: ${XDG_CACHE_HOME:-~/.cache}/prospect/. Root has
 * /var/cache/prospect: what root reads must be root's own, also under sudo.
 */
#ifndef BASE_CACHE_PLACE_H
#define BASE_CACHE_PLACE_H

#include <stddef.h>

/* The path of a folder of that name in it, whether it is there or not. -ENOENT: there is no home
 * folder to keep anything in. */
int cache_place(const char *name, char *ret_path, size_t size);

#endif
