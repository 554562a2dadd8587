/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out whether a program has another name through a link in a folder of PATH. */
#ifndef PLACE_FILES_LINK_NAMES_H
#define PLACE_FILES_LINK_NAMES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"

/* Answers so far, because each exec asks again. Zero-initialised is empty. */
struct link_names {
	struct strpool comms;
	VEC(struct link_answer) answers;
	struct hashidx index;
};

struct foreign;

/* True if a file called @comm, next to @file or in a folder of PATH, leads to the file (dev,
 * inode). The kernel truncates comms: for one of full length, any name that begins with it counts.
 * @foreign: as in struct readers. */
bool link_names_ask(struct link_names *names, struct foreign *foreign, const char *file,
		    const char *comm, dev_t dev, ino_t inode);
void link_names_done(struct link_names *names);

#endif
