/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds mounts that may block us, from /proc/PID/mountinfo (proc(5)) and without touching any. A
 * mount is local if its file system type is known to depend on this machine only. Everything else
 * (NFS, FUSE, 9P, automounts, unknown types) may never answer. An overlay is local if its layers
 * are.
 */
#ifndef FOREIGN_MOUNTS_H
#define FOREIGN_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct mount {
	uint32_t id;	   /* as in /proc/PID/fdinfo */
	const char *point; /* its path as the process sees it; no links in it */
	const char *type;
	const char *options; /* of the file system, separated by commas */
	uint64_t device;     /* st_dev of stat(2) */
	bool local;
};

struct mounts;

/* Our own mounts, which mounts_refresh keeps current. NULL if they cannot be read. The overlay that
 * we were started from counts as local: if it did not answer, we could not run. */
struct mounts *mounts_new(void);
/* From the text of a mountinfo file. @own: a file whose overlay counts as local; NULL: none. */
struct mounts *mounts_parse(const char *text, const char *own);
/* The mounts of a process, as its root has them; NULL if they cannot be read. A mount is also local
 * if its device is local in @ours: the layer names of an overlay may mean nothing in the process's
 * mount namespace. */
struct mounts *mounts_of(int32_t pid, const struct mounts *ours);
void mounts_free(struct mounts *mounts); /* NULL is fine */
DEFINE_CLEANUP(struct mounts *, mounts_free);

/* Reads the mounts again if they changed. If that fails, none is local any more. */
void mounts_refresh(struct mounts *mounts);

/* The first mount on the way to @path that is not local, borrowed until the next refresh; NULL if
 * none. @path is absolute, without links and "..". If mounts are stacked, all must be local. A
 * mount with an empty point means that the mounts are unknown. */
const struct mount *mounts_obstacle(const struct mounts *mounts, const char *path);
/* True if there is a mount at exactly this path. */
bool mounts_has(const struct mounts *mounts, const char *path);
/* The mount with this id, borrowed until the next refresh; NULL: none. */
const struct mount *mounts_by_id(const struct mounts *mounts, uint32_t id);
/* True if there is a mount of this device and all of them are local. */
bool mounts_device_is_local(const struct mounts *mounts, uint64_t device);

/* Calls @visit for each local mount that can be reached without touching another. */
void mounts_each_local(const struct mounts *mounts,
		       void (*visit)(void *context, const struct mount *mount), void *context);

#endif
