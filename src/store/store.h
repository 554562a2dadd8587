/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile file: one SQLite database, documented in prospect-profile(5). Only this folder uses
 * SQLite. Three layers: packed blocks of all samples of each second; tables of rows (dictionaries,
 * totals); views over these for any SQLite program.
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

/* Creates the file at @path (mode 0600; does not follow a symbolic link in the last part; -EEXIST
 * if something is there) and creates the tables. @profile is borrowed for the writer's life. */
int store_create(const char *path, struct profile *profile, struct store_writer **ret_writer,
		 struct err *err);
/* Notes that this file is the recording's own and not a copy (store/origin.c). Only for what this
 * machine has just recorded. */
void store_note_origin(struct store_writer *writer);
/* The file that @profile was loaded from, if it is the recording's own: a borrowed descriptor, to
 * learn its owner and mode. -1: the file is a copy or from elsewhere. */
int store_find_origin(const struct profile *profile);
/* True if a reader of this process has the same file open. For a caller that opened it by name, as
 * the name may now mean another file. */
bool store_has_open(int fd);
/* Adds a sample to the counts of its event. */
static inline void store_count(struct profile *profile, const struct sample *sample)
{
	struct event *event = &profile->events[sample->event];

	event->samples++;
	event->weight += sample->weight;
	if (sample->mode == MODE_KERNEL)
		event->kernel_samples++;
	else
		event->user_samples++;
}

/* Most samples held in memory (32 bytes each) when flushes fail or are late. */
enum { STORE_MAX_PENDING = 1 << 20 };

/* Copies a sample, whose event must be below event_count. Nothing is written before the next flush.
 * False: too many samples are waiting. This one is dropped and counted in the profile as
 * LOSS_NOT_STORED of its event. */
bool store_add(struct store_writer *writer, const struct sample *sample);
/* Writes everything new in one transaction: samples as blocks, new or dirty dictionary rows (and
 * clears their marks), totals, events, losses, run facts. Totals may lag until the last flush,
 * which has run.end_ns set; readers add what is missing. After a failure (disk full ...) the file
 * is as of the last flush, and everything is kept for the next try. -EBUSY: a reader holds the
 * file, try again (only the last flush waits for it longer than 50 ms, because rings fill
 * meanwhile). -ENOENT: the file was removed or moved. Exceeding a limit of file sizes (ulimit -f)
 * is an error here only if the process ignores SIGXFSZ. */
int store_flush(struct store_writer *writer, struct err *err);
/* True if the path still leads to the file that the writer writes; false if the file or a folder of
 * its path was removed, moved or replaced. */
bool store_is_in_place(const struct store_writer *writer);
/* Number of samples that wait for a flush. */
uint64_t store_pending(const struct store_writer *writer);
/* Closes without writing; NULL is fine. Until then the file is locked (flock(2)), which
 * store_is_recording and store_remove respect. */
void store_writer_free(struct store_writer *writer);

/* Opens for reading, as of now: until store_close a recorder's flushes get -EBUSY. Nothing in the
 * file (views, triggers, extensions) runs. Rolls back a write that a crash interrupted, and brings
 * layer 2 up to date from layer 1; otherwise the file is not written. One line in @err and a
 * negative errno:
 *   -EINVAL    no profile; -EISDIR a folder
 *   -ENOTSUP   a newer version
 *   -EBADMSG   truncated or damaged
 *   -EACCES    not permitted
 *   -EROFS and others: an interrupted write cannot be rolled back, because the file or its folder
 *              may not be written
 * A journal beside it that no recording left is refused: -EPERM if it is another owner's, -EBADMSG
 * if it names a file to delete. SQLite touches only the file and its journal. */
int store_open(const char *path, struct store_reader **ret_reader, struct err *err);
/* True if the file was being recorded when it was opened, or if that could not be determined. */
bool store_is_live(const struct store_reader *reader);
void store_close(struct store_reader *reader);
/* Frees what only makes the next call faster. */
void store_rest(struct store_reader *reader);

/* Loads everything but samples and totals. The caller owns the profile. All references in it are in
 * range, stack parents have smaller ids than their children, no process is its own ancestor
 * (otherwise -EBADMSG). The profile is for reading: the functions of model/profile.h that find rows
 * by key do not find these. */
int store_load_profile(struct store_reader *reader, struct profile **ret_profile, struct err *err);

/* Largest file that can be copied: SQLite allocates no more at once. */
#define STORE_MOST_COPY_BYTES (2040ULL << 20)
/* Writes a copy of the file to @out, with the facts of the profile loaded last and its new or dirty
 * dictionary rows. Samples, stacks and totals are those of the file. The copy is made in memory.
 * -EFBIG: the file is too large for that. -ENOTSUP: its version cannot be added to.
 * Otherwise errors of writing. */
int store_write_copy(struct store_reader *reader, struct profile *profile, FILE *out,
		     struct err *err);
/* Notes in the facts that the open file is the recording's own (store/origin.c), before a copy is
 * written to it. Only for a file that will replace the recording's own. */
void store_note_origin_of(struct profile *profile, int fd);

/* Loads the facts of the run alone into an otherwise empty profile. The caller owns it. */
int store_load_run(struct store_reader *reader, struct profile **ret_profile, struct err *err);
/* Sets whether the profile is about a command or chosen processes: whether a process is in_command.
 */
int store_has_command(struct store_reader *reader, bool *ret_has, struct err *err);
/* The time of the last mark with this text, by the clock of samples: 1; or 0: there is none. */
int store_find_mark(struct store_reader *reader, const char *text, uint64_t *ret_ns,
		    struct err *err);

struct totals {
	VEC(struct total) rows;
};
/* Loads layer 2. Call it, and those that visit samples and branches, after store_load_profile: their
 * references are to rows of that profile. The caller frees with vec_free(&totals->rows). */
int store_load_totals(struct store_reader *reader, struct totals *ret_totals, struct err *err);
/* The second (CLOCK_MONOTONIC) of the last samples; 0: none. */
uint64_t store_last_second(const struct store_reader *reader);
/* The whole seconds from the first sample's to the last one's: ret_from_ns <= time < ret_to_ns. */
int store_span(const struct store_reader *reader, uint64_t *ret_from_ns, uint64_t *ret_to_ns,
	       struct err *err);
/* The end of the recording by the clock of its samples. One that did not finish ends with the second of
 * the last of them. */
uint64_t store_end_ns(const struct store_reader *reader, const struct profile *profile);
/* Stretches of time of one length, from a moment on. What was before it is in the first. */
struct sample_slices {
	uint64_t from_ns; /* modulo 2^64: it may be before 0 */
	uint64_t length_ns;
};
static inline uint64_t sample_slices_number(const struct sample_slices *slices, uint64_t time_ns)
{
	int64_t since_ns = (int64_t)(time_ns - slices->from_ns);

	return since_ns > 0 ? (uint64_t)since_ns / slices->length_ns : 0;
}
/* Which samples of layer 1 to visit: those with from_ns <= time < to_ns. */
struct sample_wish {
	uint64_t from_ns, to_ns;
	/* The wanted fields (enum sample_field). The others may be 0; without SAMPLE_TIME the time
	 * is only within the right second. */
	unsigned fields;
	/* If there is a length: times are only within the right second and slice. */
	struct sample_slices slices;
};
/* Visits many samples at a time; @samples are borrowed for the call. They come in order of seconds,
 * within a second by flush, within a flush by CPU, and then by time. @visit returns 0 to go on; any
 * other value ends the visit and is returned. */
int store_each_batch(struct store_reader *reader, const struct sample_wish *wish,
		     int (*visit)(void *context, const struct sample *samples, size_t count),
		     void *context, struct err *err);

/* Visits the branches of an import, in order of event and frames; other profiles have none. */
int store_each_branch(struct store_reader *reader,
		      void (*visit)(void *context, const struct branch *branch), void *context,
		      struct err *err);

/* Tells by its first bytes whether a file is a prospect profile (SQLite with our application id): 1
 * yes (also a newer version or damaged), 0 no, -errno if it cannot be read. Decides whether -o FILE
 * may replace it. */
int store_is_profile(const char *path);

/* True if a recorder, also of another PID namespace, holds this file, or if that cannot be
 * determined (-EACCES, no file locks there ...). Do not call it while this process has the file
 * open: that would drop SQLite's locks on it (fcntl(2)). */
bool store_is_recording(const char *path);

/* Removes a profile and the journal of an interrupted recording, which SQLite would apply to the
 * next file of that name. -EBUSY: it is being recorded; two recorders of one name would share a
 * journal. A recorder that has created the file and not locked it yet creates another. For the same
 * reason, move a file only after store_open succeeded on it once, and never while it is
 * recorded. */
int store_remove(const char *path, struct err *err);

#endif
