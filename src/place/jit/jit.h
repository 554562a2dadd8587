/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for code that programs make while they run, from what they announce: perf-PID.map and
 * jit-PID.dump (linux:tools/perf/Documentation/jit-interface.txt and jitdump-specification.txt).
 *
 * Every run of a program has images of its own for its memory: kind IMAGE_ANON, `inode` the process
 * (a row of the profile); the path is "[jit]" as soon as a name was found in it. A frame of such an
 * image has the address as `address`; its `offset` is the same, but for code that lies where other
 * code lay before (code_map.h). A forked process has its parent's code.
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

/* @profile receives the images; borrowed. */
struct jit *jit_new(struct profile *profile);
/* The same for a recording that is over: what its processes announced is looked for below @root
 * (copied), as it is now, by their pids alone and read whole when one is met first. A file is
 * believed whose owner is root, or who asks. */
struct jit *jit_new_of_past(struct profile *profile, const char *root);
/* Announcements are read only where they cannot make us wait, told by @foreign (borrowed): on local
 * mounts. */
void jit_set_foreign(struct jit *jit, struct foreign *foreign);
void jit_free(struct jit *jit); /* NULL is fine */

/* A file was mapped as code by @process (a row): it may be a jitdump. */
void jit_mapped(struct jit *jit, uint32_t process, const struct mapped_file *file);

/* Finds the place of a frame in memory that is no file. On entry *frame has the image that all such
 * memory of this name shares, the address, and the kind; its image and offset are set.
 * @process: a row, not 0. */
void jit_place(struct jit *jit, uint32_t process, struct frame *frame);
/* Did @process (a row) ever make code where other code of its lay before? Then a place that was
 * found for an address before may be another one now. */
bool jit_reuses(const struct jit *jit, uint32_t process);
/* Finds the place anew of a frame that jit_place placed. True: it is another one. */
bool jit_renew(const struct jit *jit, struct frame *frame);
/* The time of the samples whose frames are placed from now on. */
void jit_set_time(struct jit *jit, uint64_t time_ns);

/* Reads what was announced. Before each drain: then what is attributed meets what it ran. */
void jit_follow(struct jit *jit, uint64_t now_ns);
/* The end of the recording: what processes that still run will announce is not waited for. */
void jit_finish(struct jit *jit, uint64_t now_ns);

/* All frames that were placed so far are about to be asked about (jit_lookup). */
void jit_asking(struct jit *jit);
/* They were. What processes announced that were gone when the asking began, and whose code nobody
 * may run any more, is forgotten. */
void jit_rest(struct jit *jit);

enum jit_answer {
	JIT_NOT_OURS, /* no image of jit_place */
	JIT_NAMED,
	JIT_NOT_YET, /* ask again when more was announced */
	JIT_NEVER,
};

/* The symbol (all but its image) at a frame that jit_place made. *changes, 0 at first, saves the
 * search when nothing was announced since the last JIT_NOT_YET. */
enum jit_answer jit_lookup(struct jit *jit, const struct frame *frame, uint64_t *changes,
			   struct symbol *ret_symbol);

/* Appends the code of the function that has the frame: out of the jitdump, or the memory of the
 * process while it lives and nothing else was announced there since. *ret_place: where its first
 * byte is placed, *ret_start: its address. False: it is not to be had. */
bool jit_code(const struct jit *jit, const struct frame *frame, uint64_t *ret_place,
	      uint64_t *ret_start, struct buf *code);

/* Puts into the profile what the jitdump tells of the source line of the frame, @whole: of all its
 * function. False: what the file's lines mean is not known yet; ask again when more was announced.
 * *changes, 0 at first, saves the search when nothing was since the last time. */
bool jit_keep_lines(struct jit *jit, const struct frame *frame, bool whole, uint64_t *changes);
/* How much was done for that. */
struct jit_line_counts {
	uint64_t bytes_read; /* of records, which takes time */
	size_t dropped; /* lines for which there was no room, as often as they were asked for */
};
struct jit_line_counts jit_line_counts(const struct jit *jit);
/* Of how many processes maps or jitdumps were not read, because their file system may not answer. */
size_t jit_far(const struct jit *jit);
/* How many jitdumps of the past are known without their lines and code, because there are more of
 * them than may be held open. */
size_t jit_dumps_closed(const struct jit *jit);

#endif
