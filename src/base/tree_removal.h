/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removing a folder with everything below it, and how much that would be. */
#ifndef BASE_TREE_REMOVAL_H
#define BASE_TREE_REMOVAL_H

#include <stdint.h>

/* Links are removed, not followed; other file systems are left alone. What cannot be removed stays,
 * and nobody is told. */
void tree_removal(const char *path);

/* Bytes of all files below it. */
uint64_t tree_removal_bytes(const char *path);

#endif
