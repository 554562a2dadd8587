/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile file: one SQLite database, documented in prospect-profile(5). Only this folder knows
 * SQLite. Three layers: packed blocks of every sample per second; row tables (dictionaries,
 * totals); views over these for anybody's sqlite3.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "model/profile.h"

struct store_writer;
struct store_reader;

/* Creates the file at @path (mode 0600, not following a symbolic link in its last part; -EEXIST
 * when something is there) and lays out the tables. @profile is borrowed for the writer's life. */
int store_create(const char *path, struct profile *profile, struct store_writer **ret_writer,
		 struct err *err);
/* Takes a sample over (copied). Nothing is written before the next flush. */
void store_add(struct store_writer *writer, const struct sample *sample);
/* Writes everything new in one transaction: samples as blocks, dictionary rows that were added or
 * are dirty (and clears the mark), totals, events, losses, run facts. After a failure (disk full
 * ...) nothing of it is in the file, everything is kept for the next try, and the file opens as of
 * the last flush. */
int store_flush(struct store_writer *writer, struct err *err);
/* How many samples wait for a flush. */
uint64_t store_pending(const struct store_writer *writer);
/* Closes without writing; NULL is fine. */
void store_writer_free(struct store_writer *writer);

/* Opens for reading: trusted_schema off, DEFENSIVE, application id and version checked, layer 2
 * rebuilt from layer 1 if a crash left it behind (only then the file is written). One clear line
 * and a negative errno for what is no profile (-EINVAL), a newer version (-ENOTSUP), truncated or
 * damaged (-EBADMSG). */
int store_open(const char *path, struct store_reader **ret_reader, struct err *err);
void store_close(struct store_reader *reader);

/* Everything but samples and totals. The caller owns the profile. All references in it are checked
 * to be in range (-EBADMSG else). */
int store_load_profile(struct store_reader *reader, struct profile **ret_profile, struct err *err);

struct totals {
	VEC(struct total) rows;
};
/* Layer 2. The caller frees with vec_free(&totals->rows). */
int store_load_totals(struct store_reader *reader, const struct profile *profile,
		      struct totals *ret_totals, struct err *err);
/* Layer 1, in order of seconds (within a second in order of time per CPU, CPUs one after the
 * other), samples with from_ns <= time < to_ns. @visit returns 0 to go on. */
int store_each_sample(struct store_reader *reader, const struct profile *profile, uint64_t from_ns,
		      uint64_t to_ns, int (*visit)(void *context, const struct sample *sample),
		      void *context, struct err *err);

/* Is this file a prospect profile by its first bytes (SQLite with our application id)? 1 yes, 0 no,
 * -errno when it cannot be read. For deciding whether an -o FILE may be replaced. */
int store_is_profile(const char *path);

#endif
