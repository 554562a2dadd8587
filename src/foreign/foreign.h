/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads files that may never answer: files on a file system whose server is gone, and /proc files
 * of processes that such a file system blocks. open(2), stat(2) and read(2) have no deadline, so a
 * reader process of ours (foreign_serve.c) calls them, and we wait for it as long as it shows that
 * it is working. We give up on a reader that does not answer in time, and never wait for it again;
 * further requests for the same place fail at once until it answers after all. The result is a copy
 * of the bytes in sealed memory, which neither changes nor blocks.
 *
 * foreign/door.h decides which files are read here and which by that process.
 */
#ifndef FOREIGN_FOREIGN_H
#define FOREIGN_FOREIGN_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/pause.h"
#include "foreign/mounts.h"
#include "foreign/wire.h"

struct foreign;

/* Starts reader processes on demand. @pause: called several times a second during a wait; it must
 * not use this object. */
struct foreign *foreign_new(struct pause pause);
/* Kills the reader processes without waiting for them. NULL is fine. */
void foreign_free(struct foreign *foreign);
DEFINE_CLEANUP(struct foreign *, foreign_free);

/* Our current mounts, borrowed until the next question. */
const struct mounts *foreign_mounts(struct foreign *foreign);

struct foreign_question {
	enum wire_kind kind;
	const struct readers *readers; /* NULL: ourselves */
	const struct door_root *root;  /* NULL: none */
	const char *name;
	uint64_t limit;	 /* bytes */
	uint64_t offset; /* of the first byte, for WIRE_PART; the address, for WIRE_MAPPING */
	uint64_t place;	 /* hangs as a whole: a device, or one of the places below */
};

/* Places of a process: its memory; and the files that it leads to, which may hang without it. */
uint64_t foreign_process_place(int32_t pid);
uint64_t foreign_files_place(int32_t pid);

struct foreign_answer {
	int fd;			  /* the caller's; -1 for WIRE_STAT */
	bool copy;		  /* sealed memory; else the file itself, on a local mount */
	struct stat st;		  /* of the file: device, inode, size, times, links, uid and mode */
	struct mapping_name name; /* of a copied file; 0, 0: not known */
};

/* 0, or negative errno with a reason that does not begin with a name: -ETIMEDOUT if the reader did
 * not answer in time, now or before. */
int foreign_ask(struct foreign *foreign, const struct foreign_question *question,
		struct foreign_answer *ret_answer, struct err *err);

/*
 * The reader process touches files that may never answer. It handles one question after the other
 * and may hang in any of them; then the other side has already given up on it. It keeps no state
 * between questions, and holds nothing that another process waits for.
 */

/* The only argument of prospect as the reader process, and the descriptor of its socket. */
#define FOREIGN_OPTION "--internal-reader"
enum { FOREIGN_SOCKET = 3 };

/* Answers questions from the socket until the other side closes it, at once if there is none. */
void foreign_serve(int socket);

#endif
