/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one run of a program announces of the code it makes: /tmp/perf-PID.map, as the process
 * itself sees /tmp and calls its PID, and the jitdump it maps. Private to jit.c.
 *
 * The folder is held open from the first look on, so that a map which is written at the very end is
 * still found when the process is gone.
 */
#ifndef PLACE_JIT_JIT_PROCESS_H
#define PLACE_JIT_JIT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "place/jit/jit_source.h"

struct mapped_file;

struct foreign;

/* Where announcements are looked for. */
struct jit_place_of {
	const char *past_root;	 /* as for jit_new_of_past; NULL: it lives, or did just now */
	struct foreign *foreign; /* as for jit_set_foreign; NULL: files are waited for */
};

struct jit_process {
	uint32_t row; /* in profile.processes */
	int32_t pid;
	int32_t inner_pid; /* as the process sees itself */
	int folder;	   /* the /tmp of the process; -1: not to be had */
	char *past_root;   /* NULL: its own */
	struct foreign *foreign;
	struct told_file_owner owner;
	struct jit_source dump, map;
	uint64_t next_try_ns; /* look for a map that was not there */
	bool ended;	      /* everything that can be known is known */
	bool far; /* what it announces may be where nobody can read without waiting: not read */
};

/* @row: a process of @profile. @number: unique, for the origins of its maps. @apart: as for
 * code_map_new. @place: where its files are. */
struct jit_process *jit_process_new(const struct profile *profile, uint32_t row, uint32_t number,
				    bool apart, const struct jit_place_of *place);
void jit_process_free(struct jit_process *process);

/* Is that the name of a jitdump? */
bool jit_process_is_dump(const char *path);
/* Such a file was mapped as code. True: it proved to be the file that was mapped, and is followed
 * from now on; of a process that is long gone only the first one is. */
bool jit_process_mapped(struct jit_process *process, const struct mapped_file *file);

/* Reads what was announced since the last time. */
void jit_process_follow(struct jit_process *process, const struct processor_clock *clock,
			uint64_t now_ns);
/* The last time: the process is gone, or the recording ends. */
void jit_process_finish(struct jit_process *process, const struct processor_clock *clock,
			uint64_t now_ns);

/* Of a process that is long gone: all of its map, whose file is closed; of its jitdump, whose file
 * is closed unless @keep: then lines and code are read from it when they are asked for. */
void jit_process_read_map(struct jit_process *process);
void jit_process_read_dump(struct jit_process *process, const struct processor_clock *clock,
			   bool keep);

/* Forgets what was announced; only after jit_process_finish. */
void jit_process_forget(struct jit_process *process);

/* How often something was announced. */
uint64_t jit_process_changes(const struct jit_process *process);

#endif
