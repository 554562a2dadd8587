/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose files we write. Under sudo the profile and the state folder belong to the invoking user:
 * they are made with that user's rights (setfsuid(2)), so that root never follows a link the user
 * planted and the user can read and delete them later.
 */
#ifndef PIPELINE_OWNER_H
#define PIPELINE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct owner {
	bool other; /* files belong to somebody else than the effective user */
	uid_t uid;
	gid_t gid;
	char name[256];	 /* login name, "" unknown */
	char home[4000]; /* home folder of the owner, "" unknown */
};

/* From SUDO_UID and SUDO_GID when we run as root, else ourselves. */
void owner_find(struct owner *ret_owner);
/* Between the two calls, files are opened and made as the owner. They do not nest. */
void owner_begin(const struct owner *owner);
void owner_end(const struct owner *owner);

#endif
