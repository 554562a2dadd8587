/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a name to the place it leads to, without the magic links of /proc. */
#ifndef BASE_DOOR_WALK_H
#define BASE_DOOR_WALK_H

#include <stdbool.h>

/* A descriptor (O_PATH) of what @path leads to from the folder @at (as in openat(2)), the caller's,
 * or negative errno: -ELOOP a magic link. @sealed: links are refused, and so is what leads out of
 * @at (-EXDEV). By openat2(2). */
int door_walk(int at, const char *path, bool sealed);

/* The same, component by component: for kernels before Linux 5.6 and sandboxes without openat2. No
 * link of a /proc is followed there, magic or not. */
int door_walk_by_hand(int at, const char *path, bool sealed);

#endif
