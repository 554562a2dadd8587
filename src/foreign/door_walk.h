/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows a name to its place without following the magic links of /proc, and on request without
 * touching a mount that may not answer. */
#ifndef FOREIGN_DOOR_WALK_H
#define FOREIGN_DOOR_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "foreign/door.h"
#include "foreign/mounts.h"

/* What a walk avoids, and what it found. */
struct door_way {
	const struct mounts *mounts; /* NULL: the walk goes wherever the path leads */
	uint64_t device;	     /* of the mount that ended the walk; 0: unknown */
	bool heeds_links;	     /* collect the owners of links that are followed: */
	struct readers link_owners;  /* of all walks so far */
};

/* A descriptor (O_PATH) of @path below the folder @at (as in openat(2)), which the caller owns, or
 * negative errno: -ELOOP for a magic link, -EREMOTE for a mount of @way that is not local, with its
 * device in way->device. With way->heeds_links, no link of a /proc is followed, magic or not.
 * @sealed: refuses links, and every path that leaves @at (-EXDEV). Uses openat2(2). */
int door_walk(int at, const char *path, bool sealed, struct door_way *way);

/* The same, component by component: for kernels before Linux 5.6, sandboxes without openat2, and
 * paths over several mounts. Follows no link of a /proc, magic or not. */
int door_walk_by_hand(int at, const char *path, bool sealed, struct door_way *way);

#endif
