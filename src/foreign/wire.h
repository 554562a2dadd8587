/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol between us and the reader process, over a socket that preserves packets: one
 * question, then any number of signs of life, then one answer, which may carry a descriptor. Each
 * side checks what it receives: the reader handles bytes of any origin, so it is no more
 * trustworthy than they are.
 */
#ifndef FOREIGN_WIRE_H
#define FOREIGN_WIRE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "foreign/door.h"

/*
 * Questions:
 *   OPEN    a regular file, by door_open
 *   FOLLOW  a file by its path, through any link, with our own rights
 *   STAT    stat(2) of a path; with a root, of one that does not leave it
 *   READ    the current contents of a /proc file
 *   PART    as much of a /proc file as can be read from an offset on
 *   MAPPING a struct map_query: which file is mapped at an offset, of a /proc/PID/maps
 */
#define WIRE_QUESTIONS(X) X(OPEN) X(FOLLOW) X(STAT) X(READ) X(PART) X(MAPPING)

#define WIRE_ENUM(id) WIRE_##id,
enum wire_kind { WIRE_QUESTIONS(WIRE_ENUM) WIRE_KIND_COUNT };

enum {
	WIRE_MOST_TEXT = 2 * PATH_MAX, /* two paths with their NULs */
	WIRE_MOST_REASON = 160,
};

struct wire_question {
	uint32_t magic; /* WIRE_MAGIC */
	uint32_t kind;
	uint64_t number; /* repeated in the answer */
	uint64_t limit;	 /* the most bytes to return */
	uint64_t offset; /* of the first byte, for PART; the address, for MAPPING */
	uint32_t uids[READERS_MOST];
	uint32_t uid_count, anybody, sealed;
	uint32_t root_size, name_size; /* with their NULs; 0: no root */
	char text[WIRE_MOST_TEXT];     /* root, then name */
};

struct wire_answer {
	uint32_t magic;
	int32_t rc; /* 0, a negative errno, or WIRE_AT_WORK: the answer follows later */
	uint64_t number;
	uint64_t device, inode, size; /* of the original file */
	int64_t mtime_s, mtime_ns, ctime_s, ctime_ns;
	uint32_t uid, mode, nlink;
	struct mapping_name name; /* of a copied file; 0, 0: not known */
	uint32_t copy; /* the descriptor is a sealed copy, which cannot change or block */
	char reason[WIRE_MOST_REASON];
};

#define WIRE_MAGIC   0x70667231u
#define WIRE_AT_WORK 1

/* Fills in root and name; *ret_size is the number of bytes to send. False if the paths are too
 * long. @root may be NULL. */
bool wire_ask(struct wire_question *question, const char *root, const char *name, size_t *ret_size);
/* True if the received packet is a valid question. *ret_root (NULL: none) and *ret_name borrow from
 * it. */
bool wire_check_question(const struct wire_question *question, size_t size, const char **ret_root,
			 const char **ret_name);
/* True if the received packet is a valid answer to question @number. Then its reason is terminated
 * and rc is in range. */
bool wire_check_answer(struct wire_answer *answer, size_t size, uint64_t number);

/* Sends one packet, with @fd unless it is -1. Negative errno. */
int wire_send(int socket, const void *bytes, size_t size, int fd);
/* The size of the packet, 0 if the other side is gone, or negative errno (-EMSGSIZE: it is too
 * large). The caller owns *ret_fd; -1: none came. */
int wire_receive(int socket, void *bytes, size_t room, int *ret_fd);

void wire_set_stat(struct wire_answer *answer, const struct stat *st);
void wire_get_stat(const struct wire_answer *answer, struct stat *st);

#endif
