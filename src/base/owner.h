/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose files we write. Under sudo the profile and the state folder belong to the invoking user:
 * they are made with that user's rights (setfsuid(2)), so that root never follows a link the user
 * planted and the user can read and delete them later.
 */
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { OWNER_MAX_GROUPS = 64 }; /* what is above is not taken along */

struct owner {
	bool other; /* files belong to somebody else than the effective user */
	uid_t uid;
	gid_t gid;
	gid_t groups[OWNER_MAX_GROUPS]; /* supplementary ones of @uid; only with @other */
	size_t group_count;
	gid_t our_groups[OWNER_MAX_GROUPS]; /* ours, to come back to; only with @other */
	size_t our_group_count;
	char name[256];	 /* login name, "" unknown */
	char home[4000]; /* home folder of the owner, "" unknown */
};

/* From SUDO_UID and SUDO_GID when we run as root, else ourselves. The home folder is HOME, of
 * another owner the one in the password database; so is root's where HOME is not root's own, as it
 * was inherited (su -m). */
void owner_find(struct owner *ret_owner);
/* May we keep files of our own below @path, a folder that the environment names? Root only in
 * root's: what belongs to somebody else was inherited. Of what is not there, the folder above it
 * tells. */
bool owner_keeps_in(const char *path);
/* Between the two calls, files are opened and made as the owner, with the owner's groups (where the
 * kernel lets us set them; in some user namespaces it does not, and ours stay). They do not nest.
 * Groups are of the whole process; so no other thread may run. */
void owner_begin(const struct owner *owner);
void owner_end(const struct owner *owner);

/* The same for the calling thread alone, whatever the others do meanwhile. */
void owner_begin_thread(const struct owner *owner);
void owner_end_thread(const struct owner *owner);

/* May root use @path (absolute or from the working folder) by its name for somebody else? Only if
 * nobody but root can change what the name means: every folder on the way, the root folder and the
 * working folder included, belongs to root and is writable by no other, and none is reached by a
 * symbolic link. The last component is not looked at. False too when that cannot be found out. */
bool owner_root_alone(const char *path);

#endif
