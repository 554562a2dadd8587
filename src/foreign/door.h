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
 * are. Symbolic links are followed, but whoever owns one must be allowed to read the file as well:
 * else a user could put a link to a secret in the place of a file that others name. The magic links
 * of /proc (path_resolution(7)) are not followed, and nothing of /proc, /sys and their like is
 * read.
 *
 * A file system may never answer, when its server is gone. So where a struct foreign is at hand,
 * names are followed step by step along mounts that are known to be local, and what lies beyond
 * them is left to a process that may hang (foreign/foreign.h).
 */
#ifndef FOREIGN_DOOR_H
#define FOREIGN_DOOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct foreign;
struct stat;

enum { READERS_MOST = 16 };

/* Users who must all be allowed to read a file. Zero-initialised: only ourselves. */
struct readers {
	struct foreign
		*foreign; /* reads what may not answer; borrowed. NULL: everything is read
			     here, and waited for. Of no account when readers are compared. */
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

/* What a descriptor does not say of its file. */
struct door_file {
	bool copy; /* It is of a copy in memory, which neither changes nor blocks: same size, time
		      of change, bytes and, where we may, owner. */
	uint64_t device, inode; /* of the file itself */
};

/* The same, for those who must know which file it was. -ETIMEDOUT: its file system did not answer.
 */
int door_open_file(const struct readers *readers, const struct door_root *root, const char *name,
		   struct door_file *ret_file, struct err *err);

/* A regular file by a path of ours through the magic links of /proc, to the root of a process or to
 * what it has mapped, with our own rights. @device: what the kernel says that it is on; 0: unknown.
 * @pid: whose /proc it is. Negative errno. */
int door_open_magic(struct foreign *foreign, const char *path, int32_t pid, uint64_t device,
		    struct door_file *ret_file);

/* A folder (O_PATH) that @path leads to over local mounts only, with our own rights: what is in it
 * can be looked at without waiting, but for the links in it. -EREMOTE: not all are local. */
int door_open_folder(struct foreign *foreign, const char *path);
/* The same as a process sees it, below its root, for @name in it. */
int door_open_folder_of(struct foreign *foreign, int32_t pid, const char *path, const char *name);

/* stat(2) of a path, with our own rights. Negative errno. */
int door_stat(struct foreign *foreign, const char *path, struct stat *ret_stat);
/* The same through the magic links of /proc/@pid. */
int door_stat_magic(struct foreign *foreign, const char *path, int32_t pid, struct stat *ret_stat);

/* Appends a file of /proc/PID that needs the memory of the process, and may have to wait for what
 * the process waits for. 0 or negative errno: -EFBIG above @limit bytes. */
int door_read_proc(struct foreign *foreign, int32_t pid, const char *name, size_t limit,
		   struct buf *buf);

/* What a process has in its memory at @address, with our own rights: how many bytes of it could be
 * read, up to DOOR_MOST_MEMORY at a time, or negative errno. Where Yama lets only ancestors of the
 * process read (ptrace_scope 1) we read it ourselves, and may have to wait. */
enum { DOOR_MOST_MEMORY = 256 * 1024 };
ssize_t door_read_memory(struct foreign *foreign, int32_t pid, uint64_t address, void *bytes,
			 size_t size);

#endif
