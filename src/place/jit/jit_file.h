/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file in which a program announces its JIT code while it runs: perf-PID.map or jit-PID.dump. It
 * is followed while it grows. It is opened with distrust, because anyone can put a file under that
 * name.
 */
#ifndef PLACE_JIT_JIT_FILE_H
#define PLACE_JIT_JIT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { JIT_FILE_TAIL = 64 };

struct jit_file {
	int fd;			  /* -1: not open */
	uint64_t done;		  /* bytes that were parsed */
	uint64_t size;		  /* bytes, at the last look */
	int64_t mtime_ns;	  /* CLOCK_REALTIME, at the last look */
	char tail[JIT_FILE_TAIL]; /* the bytes before `done` */
	size_t tail_size;
};

/* Whose file is trusted, and from when on. */
struct jit_file_owner {
	uid_t uids[2];	       /* besides root's */
	int64_t not_before_ns; /* CLOCK_REALTIME: a file last written before is another process's */
};

/* Opens @name in the folder; does not follow a link. Returns 0, or a negative errno and leaves
 * *file alone: -EPERM if it is not a regular file or not the owner's, -ESTALE if it is older than
 * the owner. */
int jit_file_open(int folder, const char *name, const struct jit_file_owner *owner,
		  struct jit_file *file);
/* True if the name now leads to another file. */
bool jit_file_was_replaced(int folder, const char *name, const struct jit_file *file);
/* True if it changed since the last look. If it was truncated or rewritten, reading starts over:
 * done is 0. */
bool jit_file_look(struct jit_file *file);
/* Reads up to @size bytes at @offset; fewer at the end of the file or on an error. */
size_t jit_file_read(const struct jit_file *file, uint64_t offset, void *bytes, size_t size);
/* The next @size bytes were parsed. @bytes has them, or is NULL: then call jit_file_remember after
 * the last call. */
void jit_file_advance(struct jit_file *file, const char *bytes, uint64_t size);
/* Reads the bytes before `done` again, so that a later change is noticed. */
void jit_file_remember(struct jit_file *file);
void jit_file_close(struct jit_file *file);

#endif
