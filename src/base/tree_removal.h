/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removes a folder with everything below it, and measures its size. */
#ifndef BASE_TREE_REMOVAL_H
#define BASE_TREE_REMOVAL_H

#include <stdint.h>

/* Links are removed, not followed; other file systems are left alone. Errors are ignored: what
 * cannot be removed stays. */
void tree_removal(const char *path);

/* The bytes of all regular files below it. */
uint64_t tree_removal_bytes(const char *path);

#endif
