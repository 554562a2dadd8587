/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors of files executed lately, kept for mappings whose file is gone by the time they are
 * seen. */
#ifndef PLACE_FILES_OFFERED_FILES_H
#define PLACE_FILES_OFFERED_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "place/files/file_identity.h"

struct offered_file {
	int fd; /* owned */
	uint64_t dev, inode;
	uint64_t round; /* of image_files_rest when it came */
};

struct offered_files {
	VEC(struct offered_file) list; /* oldest first */
	size_t most;
};

/* Takes a descriptor; closes it when the same file is here already, and the oldest when there are
 * too many. */
void offered_files_add(struct offered_files *offers, int fd, uint64_t round);
/* Hands out the descriptor that proves to be the mapped file, with its identity; -1: none. */
int offered_files_take(struct offered_files *offers, const struct mapped_file *mapped,
		       struct file_identity *ret_identity);
/* Closes what came before @round. */
void offered_files_forget(struct offered_files *offers, uint64_t round);
void offered_files_done(struct offered_files *offers);

#endif
