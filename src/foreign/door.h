/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files whose names another user chose: names in debug information, in profiles, in files of
 * other machines. Such a name may lead anywhere, so we read the file with the rights of those who
 * chose it, and let the kernel judge them: for each such user, a thread takes on the user's
 * identity (setfsuid(2), setfsgid(2), the user's groups, no capabilities), opens the file and ends.
 * The calling thread never changes, so it cannot be left with another identity.
 *
 * We open a file once as a place (O_PATH), and if that is a regular file, open the same place for
 * reading. So we never open a replacement of the name, a device or a pipe. Symbolic links are
 * followed, but a link's owner must be allowed to read the file as well; otherwise a user could put
 * a link to a secret in place of a file that others name. The magic links of /proc
 * (path_resolution(7)) are not followed, and nothing in /proc, /sys and the like is read.
 *
 * A file system may never answer if its server is gone. So with a struct foreign we follow names
 * step by step along mounts that are known to be local, and leave what lies beyond them to a
 * process that may hang (foreign/foreign.h).
 */
#ifndef FOREIGN_DOOR_H
#define FOREIGN_DOOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "foreign/mapping_name.h"

struct foreign;
struct stat;

enum { READERS_MOST = 16 };

/* Users who must all be allowed to read a file. All zero: only ourselves. */
struct readers {
	/* Reads files that may not answer; borrowed. NULL: everything is read here, and waited for.
	 * Ignored when readers are compared. */
	struct foreign *foreign;
	uint32_t uids[READERS_MOST];
	uint32_t count;
	bool anybody; /* every user must be, even one without files and groups */
};

/* Once there are more than READERS_MOST users, every user must be allowed. */
void readers_add(struct readers *readers, uint32_t uid);
/* Adds the owner of an open file, who controls its contents. Adds everybody if everybody may write
 * it, or if its owner cannot be read. */
void readers_add_owner(struct readers *readers, int fd);
void readers_join(struct readers *readers, const struct readers *others);
bool readers_equal(const struct readers *a, const struct readers *b);

/* The folder below which a name is looked up. */
struct door_root {
	const char *path; /* reached with our own rights, links followed; NULL: none */
	bool sealed; /* Only we wrote what is in it: read with our own rights, and no name leads out
			of it. */
};

/* Opens the regular file @name; the caller owns the descriptor. With a root the name is below it,
 * else absolute or relative to the working folder. @root may be NULL; so may @readers: ourselves.
 * Readers that are root or ourselves need no more rights than we have. If we may not take on
 * another user's identity, a file that others must be allowed to read is opened only if its mode
 * and those of the folders on its way let everybody read it. Negative errno with a reason that does
 * not begin with the name: -ENOENT, -EACCES ("user alice has no read permission"), -EINVAL (not a
 * regular file), -ESTALE (the name leads readers to different files). */
int door_open(const struct readers *readers, const struct door_root *root, const char *name,
	      struct err *err);

/* Facts about an opened file that its descriptor does not have. */
struct door_file {
	bool copy; /* The descriptor is of a copy in memory, which neither changes nor blocks: same
		      size, time of change, bytes and, where we may, owner. */
	uint64_t device, inode; /* of the original file */
	int64_t ctime_ns;
	bool unlinked;
	struct mapping_name name; /* only of a copy; 0, 0: not known */
};

/* The same, with facts about the file. -ETIMEDOUT: its file system did not answer. */
int door_open_file(const struct readers *readers, const struct door_root *root, const char *name,
		   struct door_file *ret_file, struct err *err);

/* Opens the regular file at @path for reading, named by the user on the command line, whose bytes
 * end up in a file of the user's. The caller owns the descriptor. Under sudo it is opened with the
 * invoking user's rights. If that user may not search its folder, it is opened as root, provided
 * that only root can change what the name means (owner_root_alone) and the user owns the file.
 * Negative errno with a reason that does not begin with the name. */
int door_open_typed(const char *path, struct err *err);

/* Opens a regular file with our own rights, by a path through the magic links of /proc: to the root
 * of a process or to a file that it has mapped. @device: the file's device according to the kernel;
 * 0: unknown. @pid: the process. Negative errno. */
int door_open_magic(struct foreign *foreign, const char *path, int32_t pid, uint64_t device,
		    struct door_file *ret_file);

/* Opens the folder @path (O_PATH) with our own rights, over local mounts only: its entries can then
 * be looked at without waiting, except links. -EREMOTE: not all mounts are local. */
int door_open_folder(struct foreign *foreign, const char *path);
/* The same, below the root of a process and with its mounts, in order to look at @name in it. */
int door_open_folder_of(struct foreign *foreign, int32_t pid, const char *path, const char *name);

/* stat(2) of a path with our own rights. Negative errno. */
int door_stat(struct foreign *foreign, const char *path, struct stat *ret_stat);
/* The same for a path through the magic links of /proc/@pid. */
int door_stat_magic(struct foreign *foreign, const char *path, int32_t pid, struct stat *ret_stat);
/* The same for a path as process @pid sees it: neither it nor a link on its way leads out of the
 * root of the process. */
int door_stat_of(struct foreign *foreign, int32_t pid, const char *path, struct stat *ret_stat);
/* The same with the folder that is the root. May block. */
int door_stat_below(const char *root, const char *path, struct stat *ret_stat);

/* Appends to @buf a file of /proc/PID that needs the memory of the process, and so may block while
 * the process does. 0 or negative errno: -EFBIG above @limit bytes. */
int door_read_proc(struct foreign *foreign, int32_t pid, const char *name, size_t limit,
		   struct buf *buf);

/* What the kernel says about the mapping of a process at @address: foreign/map_query.h. */
struct map_query;
int door_ask_mapping(struct foreign *foreign, int32_t pid, uint64_t address,
		     struct map_query *ret_query);

/* Reads the memory of a process at @address with our own rights. Returns the number of bytes that
 * could be read, at most DOOR_MOST_MEMORY at a time, or negative errno. Where Yama lets only
 * ancestors of the process read (ptrace_scope 1), we read it ourselves and may block. */
enum { DOOR_MOST_MEMORY = 256 * 1024 };
ssize_t door_read_memory(struct foreign *foreign, int32_t pid, uint64_t address, void *bytes,
			 size_t size);

#endif
