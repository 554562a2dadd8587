/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which mounts may keep us waiting: what proc(5) says of them in /proc/PID/mountinfo, without
 * touching any. A mount is local when its file system is one of those known to depend on nothing
 * but this machine; everything else (NFS, FUSE, 9P, automounts, types nobody here knows) may never
 * answer. An overlay is as local as its layers are.
 */
#ifndef FOREIGN_MOUNTS_H
#define FOREIGN_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct mount {
	const char *point; /* where it is, as its process sees it; no name leads through a link */
	const char *type;
	const char *options; /* of the file system, with commas between */
	uint64_t device;     /* as stat(2) has it */
	bool local;
};

struct mounts;

/* Our own, followed: NULL when they cannot be read. The overlay that we were started from counts as
 * local: if it did not answer, nor would we. */
struct mounts *mounts_new(void);
/* From the text of a mountinfo file. @own: a file on the overlay that counts as local; NULL: none.
 */
struct mounts *mounts_parse(const char *text, const char *own);
/* Those of a process, as its root has them; NULL when they cannot be read. What is of a device that
 * is local by @ours is local: the layers of overlays have names that mean nothing there. */
struct mounts *mounts_of(int32_t pid, const struct mounts *ours);
void mounts_free(struct mounts *mounts); /* NULL is fine */
DEFINE_CLEANUP(struct mounts *, mounts_free);

/* Reads them again if they have changed. When that cannot be done nothing is local any more. */
void mounts_refresh(struct mounts *mounts);

/* The first mount on the way to @path that is not local, borrowed until the next refresh; NULL:
 * none.
 * @path is absolute and has neither links nor "..". Where mounts lie upon each other all must be
 * local. One without a point stands for what is not known. */
const struct mount *mounts_obstacle(const struct mounts *mounts, const char *path);
/* Is there a mount at just this path? */
bool mounts_has(const struct mounts *mounts, const char *path);
/* Does every mount of this device count as local, and is there one? */
bool mounts_device_is_local(const struct mounts *mounts, uint64_t device);

/* The local mounts that can be reached without touching others: @visit is called for each. */
void mounts_each_local(const struct mounts *mounts,
		       void (*visit)(void *context, const struct mount *mount), void *context);

#endif
