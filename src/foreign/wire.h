/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we and the process that reads foreign files say to each other, over a socket that keeps
 * packets apart: one question, then any number of signs that it is at work, then one answer, which
 * may bring a descriptor along. Either side checks what it is told: the reader takes in bytes from
 * anywhere, so its word is not worth more than theirs.
 */
#ifndef FOREIGN_WIRE_H
#define FOREIGN_WIRE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "foreign/door.h"

/* OPEN: a regular file by door_open. FOLLOW: by its path, through any link, as ourselves. STAT:
 * only what stat(2) says of a path. READ: all that a file of /proc has now. PART: as much as can be
 * read of it from an offset on. */
#define WIRE_QUESTIONS(X) X(OPEN) X(FOLLOW) X(STAT) X(READ) X(PART)

enum wire_kind {
#define ROW(id) WIRE_##id,
	WIRE_QUESTIONS(ROW)
#undef ROW
		WIRE_KIND_COUNT
};

enum {
	WIRE_MOST_TEXT = 2 * PATH_MAX, /* two paths with their NULs */
	WIRE_MOST_REASON = 160,
};

struct wire_question {
	uint32_t magic; /* WIRE_MAGIC */
	uint32_t kind;
	uint64_t number; /* the answer has it, too */
	uint64_t limit;	 /* the most bytes that are wanted */
	uint64_t offset; /* of the first of them, for PART */
	uint32_t uids[READERS_MOST];
	uint32_t uid_count, anybody, sealed;
	uint32_t root_size, name_size; /* with their NULs; 0: no root */
	char text[WIRE_MOST_TEXT];     /* root, then name */
};

struct wire_answer {
	uint32_t magic;
	int32_t rc; /* 0, a negative errno, or WIRE_AT_WORK: this is not the answer yet */
	uint64_t number;
	uint64_t device, inode, size; /* of the file, whatever the descriptor is one of */
	int64_t mtime_s, mtime_ns;
	uint32_t uid, mode;
	uint32_t copy; /* the descriptor has a copy of the bytes: it cannot change, nor block */
	char reason[WIRE_MOST_REASON];
};

#define WIRE_MAGIC   0x70667231u
#define WIRE_AT_WORK 1

/* Bytes of the question, for sending. False: the paths are too long. @root may be NULL. */
bool wire_ask(struct wire_question *question, const char *root, const char *name, size_t *ret_size);
/* Is what was received a question? *ret_root (NULL: none) and *ret_name borrow from it. */
bool wire_check_question(const struct wire_question *question, size_t size, const char **ret_root,
			 const char **ret_name);
/* Is what was received an answer to that question? Then its reason ends and rc is in range. */
bool wire_check_answer(struct wire_answer *answer, size_t size, uint64_t number);

/* One packet; @fd goes along unless it is -1. Negative errno. */
int wire_send(int socket, const void *bytes, size_t size, int fd);
/* The size of the packet, 0 when the other side is gone, or negative errno (-EMSGSIZE: it does not
 * fit). *ret_fd is the caller's, -1: none came. */
int wire_receive(int socket, void *bytes, size_t room, int *ret_fd);

void wire_set_stat(struct wire_answer *answer, const struct stat *st);
void wire_get_stat(const struct wire_answer *answer, struct stat *st);

#endif
