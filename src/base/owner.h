/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user who owns the files we write. Under sudo the profile and the state folder belong to the
 * invoking user. We create them with that user's rights (setfsuid(2)), so that root never follows a
 * link the user planted, and the user can read and delete them later.
 */
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { OWNER_MAX_GROUPS = 64 }; /* further groups are ignored */

struct owner {
	bool other; /* the owner is not the effective user */
	uid_t uid;
	gid_t gid;
	gid_t groups[OWNER_MAX_GROUPS]; /* supplementary groups of @uid; only with @other */
	size_t group_count;
	gid_t our_groups[OWNER_MAX_GROUPS]; /* our own, to restore; only with @other */
	size_t our_group_count;
	char name[256];	 /* login name, "" unknown */
	char home[4000]; /* home folder of the owner, "" unknown */
};

/* Finds the owner from SUDO_UID and SUDO_GID if we run as root; otherwise we are the owner. The
 * home folder is HOME, but the one in the password database for another owner, and for root if HOME
 * is not root's own, as when it was inherited (su -m). */
void owner_find(struct owner *ret_owner);
/* True if we may keep files of our own below @path, a folder that the environment names. Root may
 * only in a folder of root: another user's was inherited. If @path does not exist, its nearest
 * existing parent decides. */
bool owner_keeps_in(const char *path);
/* Between the two calls, files are opened and created as the owner, with the owner's groups (some
 * user namespaces do not let us set them; then ours stay). Calls do not nest. Other threads are not
 * affected. */
void owner_begin(const struct owner *owner);
void owner_end(const struct owner *owner);

/* True if root may use @path (absolute or relative) by its name on behalf of another user: only
 * root can change what the name means. Every folder on the way, with the root folder and the
 * working folder, belongs to root and is writable by no other user, and none is reached through a
 * symbolic link. The last component is not examined. False too if this cannot be determined. */
bool owner_root_alone(const char *path);

#endif
