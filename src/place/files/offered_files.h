/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors of recently executed files, kept for mappings whose file is deleted before we see
 * them. */
#ifndef PLACE_FILES_OFFERED_FILES_H
#define PLACE_FILES_OFFERED_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "place/files/file_identity.h"

struct offered_file {
	int fd; /* owned */
	uint64_t dev, inode;
	uint64_t round; /* the round of image_files_rest when it was offered */
};

struct offered_files {
	VEC(struct offered_file) list; /* oldest first */
	size_t most;
};

/* Takes over a descriptor. Closes it if the same file is already here; closes the oldest one if
 * there are too many. */
void offered_files_add(struct offered_files *offers, int fd, uint64_t round);
/* Hands over the descriptor that proves to be the mapped file, with its identity; -1: none. */
int offered_files_take(struct offered_files *offers, const struct mapped_file *mapped,
		       struct file_identity *ret_identity);
/* Closes those offered before @round. */
void offered_files_forget(struct offered_files *offers, uint64_t round);
void offered_files_done(struct offered_files *offers);

#endif
