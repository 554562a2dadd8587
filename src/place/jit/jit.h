/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for JIT code, from what programs announce: perf-PID.map and jit-PID.dump
 * (linux:tools/perf/Documentation/jit-interface.txt and jitdump-specification.txt).
 *
 * Every run of a program has its own images for its memory: kind IMAGE_ANON, `inode` is the process
 * (a row of the profile), and the path becomes "[jit]" when the first name is found in it. A frame
 * of such an image has the address as `address`. Its `offset` is the same, except for code at
 * addresses that held other code before (code_map.h). A forked process has its parent's code.
 */
#ifndef PLACE_JIT_JIT_H
#define PLACE_JIT_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/profile.h"

struct foreign;
struct jit;
struct mapped_file;

/* @profile gets the images; borrowed. */
struct jit *jit_new(struct profile *profile);
/* The same for a finished recording. Looks below @root (copied) for the files of its processes as
 * they are now, by pid alone, and reads each whole when its process is first met. Trusts a file if
 * its owner is root or the user. */
struct jit *jit_new_of_past(struct profile *profile, const char *root);
/* Reads announcements only on local mounts, where they cannot block us; @foreign (borrowed) knows
 * which mounts are local. */
void jit_set_foreign(struct jit *jit, struct foreign *foreign);
void jit_free(struct jit *jit); /* NULL is fine */

/* @process (a row) mapped a file as code: it may be a jitdump. */
void jit_mapped(struct jit *jit, uint32_t process, const struct mapped_file *file);

/* Finds the place of a frame in memory without a file. On entry *frame has the kind, the address,
 * and the image that all memory of this name shares; its image and offset are set. @process: a row,
 * not 0. */
void jit_place(struct jit *jit, uint32_t process, struct frame *frame);
/* True if @process (a row) ever made code where other code of its was before. Then the place of an
 * address may have changed. */
bool jit_reuses(const struct jit *jit, uint32_t process);
/* Finds the place of a frame from jit_place again. True: it changed. */
bool jit_renew(const struct jit *jit, struct frame *frame);
/* The time of the samples whose frames are placed next. */
void jit_set_time(struct jit *jit, uint64_t time_ns);

/* Reads new announcements. To be called before each drain, so that samples meet the code they
 * ran. */
void jit_follow(struct jit *jit, uint64_t now_ns);
/* To be called at the end of the recording: later announcements of living processes are not
 * awaited. */
void jit_finish(struct jit *jit, uint64_t now_ns);

/* To be called before jit_lookup is called for all frames placed so far. */
void jit_asking(struct jit *jit);
/* To be called after those lookups. Forgets announcements of processes that had ended by
 * jit_asking, unless another process may still run their code. */
void jit_rest(struct jit *jit);

enum jit_answer {
	JIT_NOT_OURS, /* not an image of jit_place */
	JIT_NAMED,
	JIT_NOT_YET, /* ask again after more announcements */
	JIT_NEVER,
};

/* The symbol (all but its image) of a frame from jit_place. *changes, 0 at first, saves the search
 * if nothing was announced since the last JIT_NOT_YET. */
enum jit_answer jit_lookup(struct jit *jit, const struct frame *frame, uint64_t *changes,
			   struct symbol *ret_symbol);

/* Appends the code of the frame's function: from the jitdump, or from the memory of the process if
 * it still lives and announced nothing else there since. *ret_place: place of its first byte;
 * *ret_start: its address. False: not available. */
bool jit_code(const struct jit *jit, const struct frame *frame, uint64_t *ret_place,
	      uint64_t *ret_start, struct buf *code);

/* Adds to the profile the source line of the frame from the jitdump; with @whole, all lines of its
 * function. False: the meaning of the file's lines is not known yet; ask again after more
 * announcements. *changes, 0 at first, saves the search if nothing was announced since the last
 * call. */
bool jit_keep_lines(struct jit *jit, const struct frame *frame, bool whole, uint64_t *changes);
enum { JIT_MOST_LINES = 1 << 18 }; /* in a profile */

/* What jit_keep_lines did. */
struct jit_line_counts {
	uint64_t bytes_read; /* of records: a measure of the time taken */
	size_t dropped;	     /* lines that had no room, counted at each request */
};
struct jit_line_counts jit_line_counts(const struct jit *jit);
/* Number of processes whose maps or jitdumps were not read, because their file system may block. */
size_t jit_far(const struct jit *jit);
/* Number of jitdumps of a finished recording known without their lines and code, because too many
 * would have to stay open. */
size_t jit_dumps_closed(const struct jit *jit);

#endif
