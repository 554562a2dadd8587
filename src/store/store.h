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
#include <stdio.h>

#include "base/err.h"
#include "base/vec.h"
#include "model/profile.h"

struct store_writer;
struct store_reader;

/* Creates the file at @path (mode 0600, not following a symbolic link in its last part; -EEXIST
 * when something is there) and lays out the tables. @profile is borrowed for the writer's life. */
int store_create(const char *path, struct profile *profile, struct store_writer **ret_writer,
		 struct err *err);
/* Notes that this file is the recording's own, and no copy (store/origin.h). For what this machine
 * recorded just now, and nothing else. */
void store_note_origin(struct store_writer *writer);
/* The file that the profile was loaded from, if it is the recording's own: a borrowed descriptor
 * that tells its owner and mode; -1: it is a copy, or from elsewhere. */
int store_find_origin(const struct profile *profile);
/* Is the open file the one that a reader of this process has open? For whoever opened it by its
 * name, which may have come to mean another. */
bool store_has_open(int fd);
/* So many samples are held at most (32 bytes each) when flushes fail or are late. */
enum { STORE_MAX_PENDING = 1 << 20 };

/* Takes a sample over (copied; its event must be below event_count). Nothing is written before the
 * next flush. Returns false when too many are waiting: the sample is dropped and counted in the
 * profile, as LOSS_NOT_STORED of its event. */
bool store_add(struct store_writer *writer, const struct sample *sample);
/* Writes everything new in one transaction: samples as blocks, dictionary rows that were added or
 * are dirty (and clears the mark), totals, events, losses, run facts. Totals may lag behind until
 * the flush that has run.end_ns set, the last one; readers add what is missing. After a failure
 * (disk full ...) nothing of it is in the file, everything is kept for the next try, and the file
 * opens as of the last flush. -EBUSY: somebody is reading it just now (only the last flush waits
 * longer than 50 ms for them, for rings fill meanwhile): try again; -ENOENT: the file was removed
 * or moved. A limit of file sizes (ulimit -f) is an error here only if the process ignores SIGXFSZ.
 */
int store_flush(struct store_writer *writer, struct err *err);
/* Does its path still lead to the file that it writes? Not when somebody removed, moved or replaced
 * it, or a folder of the path. */
bool store_is_in_place(const struct store_writer *writer);
/* How many samples wait for a flush. */
uint64_t store_pending(const struct store_writer *writer);
/* Closes without writing; NULL is fine. Until then the file is locked (flock(2)), which
 * store_is_recording and store_remove respect. */
void store_writer_free(struct store_writer *writer);

/* Opens for reading, as of now: until store_close a recorder's flushes get -EBUSY. Nothing the file
 * brings along (views, triggers, extensions) runs. A write that a crash interrupted is undone, and
 * layer 2 rebuilt from layer 1 if it is behind; only then the file is written. One clear line and a
 * negative errno for what is no profile (-EINVAL; -EISDIR a folder), a newer version (-ENOTSUP),
 * truncated or damaged (-EBADMSG), not permitted (-EACCES), or when an interrupted write cannot be
 * undone because the file or its folder may not be written (-EROFS and others). A journal that no
 * recording left beside it is refused: -EPERM that of another owner, -EBADMSG one that names a file
 * to be removed; SQLite touches nothing but the file and its journal. */
int store_open(const char *path, struct store_reader **ret_reader, struct err *err);
/* Was the file being recorded, or could that not be told, when it was opened? */
bool store_is_live(const struct store_reader *reader);
void store_close(struct store_reader *reader);

/* Everything but samples and totals. The caller owns the profile. All references in it are in
 * range, stack parents are below their children, no process is its own ancestor (-EBADMSG else). It
 * is for looking at: the functions of model/profile.h that find rows by their key do not find
 * these. */
int store_load_profile(struct store_reader *reader, struct profile **ret_profile, struct err *err);

/* Writes a copy of the file to @out, with the dictionary rows that were added to the profile loaded
 * last or are dirty, and with its facts. Samples, stacks and totals are those of the file. The copy
 * is made in memory. -EFBIG: the file is too large for that (store/amend.h); -ENOTSUP: it is from a
 * version whose files cannot be added to; else errors of writing. */
int store_write_copy(struct store_reader *reader, struct profile *profile, FILE *out,
		     struct err *err);
/* Notes in the facts that the open file is the recording's own (store/origin.h), before a copy is
 * written to it: only of one that is to take the place of the recording's own file. */
void store_note_origin_of(struct profile *profile, int fd);

/* The facts of the run alone; else empty. The caller owns the profile. */
int store_load_run(struct store_reader *reader, struct profile **ret_profile, struct err *err);

struct totals {
	VEC(struct total) rows;
};
/* Layer 2. The caller frees with vec_free(&totals->rows). */
int store_load_totals(struct store_reader *reader, const struct profile *profile,
		      struct totals *ret_totals, struct err *err);
/* The second (CLOCK_MONOTONIC) of the last samples; 0: there are none. */
uint64_t store_last_second(const struct store_reader *reader);
/* Layer 1, in order of seconds (within a second the flushes one after the other, within a flush the
 * CPUs, and these in order of time), samples with from_ns <= time < to_ns. @visit returns 0 to go
 * on; what else it returns ends the visit and is returned. */
struct sample_wish {
	uint64_t from_ns, to_ns;
	/* Of enum sample_field. The others may be 0, and the time then only within the same second:
	 * a sample that is not wanted for its time is in no other than its second. */
	unsigned fields;
};
/* Many at a time: @samples are borrowed for the call. */
int store_each_batch(struct store_reader *reader, const struct profile *profile,
		     const struct sample_wish *wish,
		     int (*visit)(void *context, const struct sample *samples, size_t count),
		     void *context, struct err *err);
/* One at a time, with all fields. */
int store_each_sample(struct store_reader *reader, const struct profile *profile, uint64_t from_ns,
		      uint64_t to_ns, int (*visit)(void *context, const struct sample *sample),
		      void *context, struct err *err);

/* The branches of an import, in order of event and places; other profiles have none. */
int store_each_branch(struct store_reader *reader, const struct profile *profile,
		      void (*visit)(void *context, const struct branch *branch), void *context,
		      struct err *err);

/* Is this file a prospect profile by its first bytes (SQLite with our application id)? 1 yes (also
 * of a newer version, or damaged), 0 no, -errno when it cannot be read. For deciding whether an -o
 * FILE may be replaced. */
int store_is_profile(const char *path);

/* Does a recorder, also one of another PID namespace, hold this file just now? True also when that
 * cannot be told (-EACCES, no file locks there ...). Not while this process has the file open: that
 * would drop SQLite's locks on it (fcntl(2)). */
bool store_is_recording(const char *path);

/* Removes a profile and the journal that an interrupted recording left beside it, which would be
 * applied to the next file of that name. -EBUSY: it is being recorded; two recorders of one name
 * would share a journal. A recorder that has just made the file, and not locked it yet, makes
 * another. For the same reason a file is moved only after store_open once succeeded
 * on it, and never while it is recorded. */
int store_remove(const char *path, struct err *err);

#endif
