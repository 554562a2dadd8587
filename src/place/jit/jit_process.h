/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one run of a program announces of its JIT code: the jitdump that it maps, and
 * /tmp/perf-PID.map, with /tmp and the PID as the process itself sees them. Private to jit.c.
 *
 * The folder stays open from the first look on, so a map that is written at the very end is still
 * found after the process ended.
 */
#ifndef PLACE_JIT_JIT_PROCESS_H
#define PLACE_JIT_JIT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "place/jit/jit_source.h"

struct mapped_file;

struct foreign;

/* Where to look for announcements. */
struct jit_place_of {
	const char *past_root;	 /* as for jit_new_of_past; NULL: it lives, or did until just now */
	struct foreign *foreign; /* as for jit_set_foreign; NULL: reads may block */
};

struct jit_process {
	uint32_t row; /* in profile.processes */
	int32_t pid;
	int32_t inner_pid; /* its pid as it sees it */
	int folder;	   /* /tmp of the process; -1: not available */
	char *past_root;   /* NULL: its own */
	struct foreign *foreign;
	struct jit_file_owner owner;
	struct jit_source dump, map;
	uint64_t next_try_ns; /* when to look again for a missing map */
	bool ended;	      /* no further announcements are read */
	bool far;	      /* its files may be where reading can block: not read */
};

/* @row: a process of @profile. @number: unique, gives the origins of its maps. @apart: as for
 * code_map_new. @place: where to look for its files. */
struct jit_process *jit_process_new(const struct profile *profile, uint32_t row, uint32_t number,
				    bool apart, const struct jit_place_of *place);
void jit_process_free(struct jit_process *process);

/* True if this is the name of a jitdump. */
bool jit_process_is_dump(const char *path);
/* Such a file was mapped as code. True: it proved to be the mapped file, and is followed from now
 * on. For a process of a finished recording, only the first jitdump is used. */
bool jit_process_mapped(struct jit_process *process, const struct mapped_file *file);

/* Reads announcements since the last call. */
void jit_process_follow(struct jit_process *process, const struct jit_clock *clock,
			uint64_t now_ns);
/* Reads for the last time: the process ended, or the recording ends. */
void jit_process_finish(struct jit_process *process, const struct jit_clock *clock,
			uint64_t now_ns);

/* For a process of a finished recording: reads its whole map and closes the file. */
void jit_process_read_map(struct jit_process *process);
/* Likewise its whole jitdump. @keep: leaves it open, and lines and code are read from it on
 * demand. */
void jit_process_read_dump(struct jit_process *process, const struct jit_clock *clock, bool keep);

/* Forgets all announcements; only after jit_process_finish. */
void jit_process_forget(struct jit_process *process);

/* Number of announcements so far. */
uint64_t jit_process_changes(const struct jit_process *process);

#endif
