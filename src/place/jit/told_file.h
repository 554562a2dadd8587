/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file in which a program tells of itself while it runs, as perf-PID.map: opened with distrust,
 * for anybody may put something under that name, and followed while it grows.
 */
#ifndef PLACE_JIT_TOLD_FILE_H
#define PLACE_JIT_TOLD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TOLD_FILE_TAIL = 64 };

struct told_file {
	int fd;			   /* -1: not open */
	uint64_t done;		   /* bytes that were understood */
	uint64_t size;		   /* bytes, at the last look */
	int64_t mtime_ns;	   /* CLOCK_REALTIME, at the last look */
	char tail[TOLD_FILE_TAIL]; /* what stands before `done` */
	size_t tail_size;
};

/* Whose file is believed, and from when on. */
struct told_file_owner {
	uid_t uids[2];	       /* besides root's */
	int64_t not_before_ns; /* CLOCK_REALTIME: a file last written before is somebody else's */
};

/* Opens @name, which is not followed if it is a link, in the folder. Returns 0, or a negative errno
 * and leaves *file alone: -EPERM when it is no regular file or not the owner's, -ESTALE when it is
 * older than the owner. */
int told_file_open(int folder, const char *name, const struct told_file_owner *owner,
		   struct told_file *file);
/* Does the name lead to another file now? */
bool told_file_was_replaced(int folder, const char *name, const struct told_file *file);
/* Has it changed since the last look? One that was cut or written anew begins again: done is 0. */
bool told_file_look(struct told_file *file);
/* Up to @size bytes from @offset on; less than that at the end, 0 too on errors. */
size_t told_file_read(const struct told_file *file, uint64_t offset, void *bytes, size_t size);
/* The next @size bytes were understood; they are at @bytes, or @bytes is NULL: then
 * told_file_remember has to follow the last of them. */
void told_file_advance(struct told_file *file, const char *bytes, uint64_t size);
/* Reads again what stands before `done`, so that it can be told whether it stays. */
void told_file_remember(struct told_file *file);
void told_file_close(struct told_file *file);

#endif
