/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads files that may never answer: those on a file system whose server is gone, and what /proc
 * has of processes that such a file system holds up. open(2), stat(2) and read(2) have no deadline,
 * so they are left to a process of ours (foreign/serve.h), which is waited for as long as it shows
 * that it is at work. One that does not answer in time is given up and never waited for; whoever
 * wants something of the same place is refused at once, until it answers after all. What comes back
 * is a copy of the bytes in sealed memory, which can neither change nor block.
 *
 * foreign/door.h decides what is read here and what by that process.
 */
#ifndef FOREIGN_FOREIGN_H
#define FOREIGN_FOREIGN_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/pause.h"
#include "foreign/mounts.h"
#include "foreign/wire.h"

struct foreign;

/* Processes are started when they are needed. @pause: called several times a second while one is
 * waited for; it must ask nothing here. */
struct foreign *foreign_new(struct pause pause);
/* Ends its processes, without waiting for any. NULL is fine. */
void foreign_free(struct foreign *foreign);
DEFINE_CLEANUP(struct foreign *, foreign_free);

/* Our mounts as they are now, borrowed until the next question. */
const struct mounts *foreign_mounts(struct foreign *foreign);

struct foreign_question {
	enum wire_kind kind;
	const struct readers *readers; /* NULL: ourselves */
	const struct door_root *root;  /* NULL: none */
	const char *name;
	uint64_t limit;	 /* bytes */
	uint64_t offset; /* of the first, for WIRE_PART */
	uint64_t place;	 /* what may hang as one: a device, or foreign_process_place() */
};

/* What hangs with a process: its memory; and the files that it leads to, which may hang alone. */
uint64_t foreign_process_place(int32_t pid);
uint64_t foreign_files_place(int32_t pid);

struct foreign_answer {
	int fd;		/* the caller's; -1: none, as of WIRE_STAT */
	bool copy;	/* of sealed memory, else of the file itself, on a local mount */
	struct stat st; /* of the file: device, inode, size, mtime, uid and mode */
};

/* 0, or negative errno with the reason, which begins with no name: -ETIMEDOUT when there was no
 * answer in time, now or before. */
int foreign_ask(struct foreign *foreign, const struct foreign_question *question,
		struct foreign_answer *ret_answer, struct err *err);

#endif
