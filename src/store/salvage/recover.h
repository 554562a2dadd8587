/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saves what it can of a damaged profile: rows and blocks that are still in its pages, except those
 * that differ from what was written (checksums.h). The file and its journal are only read, through
 * their descriptors.
 */
#ifndef STORE_SALVAGE_RECOVER_H
#define STORE_SALVAGE_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"

struct recovery;

/* Counts for samples, blocks or a table. Without checksums, only losses that are visible in the
 * file are known. */
struct recover_count {
	const char *name;    /* "samples", "blocks", or a table */
	uint64_t saved;	     /* including those that could not be verified */
	uint64_t missing;    /* damaged or absent */
	uint64_t unverified; /* no checksum proves that they are as written */
};

struct recover_state {
	const struct recover_count *counts; /* borrowed; samples, blocks, then the tables */
	size_t count;
	bool verified;	   /* the file has at least some checksums */
	bool journal_used; /* an unfinished write was rolled back */
	bool journal_bad;  /* the journal is damaged */
	uint64_t words;	   /* assumed to mean what they mean in this program */
	uint64_t circles;  /* processes that were their own ancestors */
};

/* @fd and @journal (-1: none) are borrowed until recovery_free. @name is for messages. -EINVAL: the
 * file is empty or another program's. -ENOTSUP: a newer version. -ENODATA: it has nothing of a
 * profile. */
int recovery_open(int fd, int journal, const char *name, struct recovery **ret_recovery,
		  struct err *err);
void recovery_free(struct recovery *recovery); /* NULL is fine */

/* The dictionaries, facts and losses, for a store_writer. Borrowed. Rows are added to it until all
 * samples were visited. */
struct profile *recovery_profile(struct recovery *recovery);

/* Visits every sample, block by block; only once. @visit returns 0 to go on; any other value is
 * returned. Afterwards the profile's events count the visited samples, LOSS_DAMAGED counts the
 * others, and a sentence in not_visible names everything that is missing. */
int recovery_each_batch(struct recovery *recovery,
			int (*visit)(void *context, const struct sample *samples, size_t count),
			void *context, struct err *err);

/* The result, after all samples were visited. */
struct recover_state recovery_state(const struct recovery *recovery);

#endif
