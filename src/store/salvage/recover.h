/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be saved of a damaged profile: the rows and blocks that are in its pages still, without
 * those that are not as they were written (checksums.h). The file and the journal beside it are
 * read only, and by their descriptors.
 */
#ifndef STORE_SALVAGE_RECOVER_H
#define STORE_SALVAGE_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"

struct recovery;

/* Of one kind of thing. Of a file without checksums only what was seen to be missing is known. */
struct recover_count {
	const char *name;    /* "samples", "blocks", or a table */
	uint64_t saved;	     /* with those that could not be verified */
	uint64_t missing;    /* damaged, or not there */
	uint64_t unverified; /* no checksum says that they are as they were written */
};

struct recover_state {
	const struct recover_count *counts; /* borrowed; samples, blocks, then the tables */
	size_t count;
	bool verified;	   /* the file has checksums, or some */
	bool journal_used; /* a write that was not finished was undone */
	bool journal_bad;  /* what would undo it is damaged */
	uint64_t words;	   /* that are taken to mean what they mean in this program */
	uint64_t circles;  /* processes that were their own ancestors */
};

/* @fd and @journal (-1: there is none) are borrowed until recovery_free. @name is for sentences.
 * -EINVAL: the file is empty or of another program; -ENOTSUP: of a newer version; -ENODATA: nothing
 * of a profile is in it. */
int recovery_open(int fd, int journal, const char *name, struct recovery **ret_recovery,
		  struct err *err);
void recovery_free(struct recovery *recovery); /* NULL is fine */

/* For a store_writer: the dictionaries, the facts, the losses. Borrowed; rows are added to it until
 * all samples were visited. */
struct profile *recovery_profile(struct recovery *recovery);

/* Every sample, block by block; only once. @visit returns 0 to go on; all else is returned.
 * Afterwards the profile's events have the numbers of what was visited, LOSS_DAMAGED has the
 * others, and a sentence in not_visible names everything that is missing. */
int recovery_each_batch(struct recovery *recovery,
			int (*visit)(void *context, const struct sample *samples, size_t count),
			void *context, struct err *err);

/* What became of it, after all samples were visited. */
struct recover_state recovery_state(const struct recovery *recovery);

#endif
