/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files whose names somebody else chose: names in debug information, in profiles, in files of
 * other machines. Such a name may lead anywhere, so the file is read with the rights of those who
 * chose it, and the kernel judges these rights: for each of them a thread takes on the user's
 * identity (setfsuid(2), setfsgid(2), the user's groups, no capabilities), opens the file and ends.
 * The calling thread never changes, so it cannot be left with another identity.
 *
 * A file is opened once, as a place (O_PATH); when that is a regular file, the same place is opened
 * for reading. Nothing that takes the name's place meanwhile is opened, and devices and pipes never
 * are. Symbolic links are followed, but not the magic ones of /proc (path_resolution(7)), and
 * nothing of /proc, /sys and their like is read.
 */
#ifndef BASE_DOOR_H
#define BASE_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { READERS_MOST = 16 };

/* Users who must all be allowed to read a file. Zero-initialised: only ourselves. */
struct readers {
	uint32_t uids[READERS_MOST];
	uint32_t count;
	bool anybody; /* every user must be, even one that owns nothing and is in no group */
};

/* Beyond READERS_MOST users, everybody must be allowed. */
void readers_add(struct readers *readers, uint32_t uid);
/* The owner of an open file, who decides what it says; everybody when everybody may write it, or
 * when that cannot be asked. */
void readers_add_owner(struct readers *readers, int fd);
void readers_join(struct readers *readers, const struct readers *others);
bool readers_equal(const struct readers *a, const struct readers *b);

/* The folder that a name is below. */
struct door_root {
	const char *path; /* reached with our own rights, links followed; NULL: there is none */
	bool sealed; /* Only we wrote what is in it: read with our own rights, and no name leads out
			of it. */
};

/* A descriptor of the regular file that @name leads to, the caller's; with a root, below that,
 * else absolute or from the working folder. @root may be NULL, and so may @readers: ourselves.
 * Readers that are root, or ourselves, ask for no more rights than we have. Without the privilege
 * to take on another user's identity, a file that others must be allowed to read is opened when the
 * modes of the file and of the folders on its way let everybody read it. Negative errno and a few
 * words that say why, which begin with no name: -ENOENT, -EACCES ("user alice may not read it"),
 * -EINVAL (no regular file), -ESTALE (readers are led to different files).
 */
int door_open(const struct readers *readers, const struct door_root *root, const char *name,
	      struct err *err);

#endif
