/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a name to the place it leads to, without the magic links of /proc, and, where asked for,
 * without touching a mount that may not answer. */
#ifndef FOREIGN_DOOR_WALK_H
#define FOREIGN_DOOR_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "foreign/door.h"
#include "foreign/mounts.h"

/* What a walk keeps away from, and what it meets. */
struct door_way {
	const struct mounts *mounts; /* NULL: the walk goes wherever the path leads */
	uint64_t device;	     /* of the mount that ended the walk; 0: of an unknown one */
	bool heeds_links;	     /* whose links were followed is to be known: */
	struct readers link_owners;  /* of all walks so far */
};

/* A descriptor (O_PATH) of what @path leads to from the folder @at (as in openat(2)), the caller's,
 * or negative errno: -ELOOP a magic link, -EREMOTE a mount of @way that is not local, told in
 * way->device. With way->heeds_links no link of a /proc is followed, magic or not. @sealed: links
 * are refused, and so is what leads out of @at (-EXDEV). By openat2(2).
 */
int door_walk(int at, const char *path, bool sealed, struct door_way *way);

/* The same, component by component: for kernels before Linux 5.6, sandboxes without openat2, and
 * where several mounts are on the way. No link of a /proc is followed there, magic or not. */
int door_walk_by_hand(int at, const char *path, bool sealed, struct door_way *way);

#endif
