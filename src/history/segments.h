/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a history: their names, and which of them go. */
#ifndef HISTORY_SEGMENTS_H
#define HISTORY_SEGMENTS_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* "20261129T104000Z.prof": when it begins. A name that is taken gets "-2" and so on, after the clock
 * was set back. */
enum { SEGMENT_NAME_MAX = 40 };

struct segment {
	char name[SEGMENT_NAME_MAX];
	uint64_t start_s; /* since 1970 */
	uint64_t bytes;	  /* that it takes on the disk */
};

/* The oldest first. Zero-initialised is empty; free with vec_free. */
struct segments {
	VEC(struct segment) list;
};

/* A name that no file in @folder has. */
void segment_name(int folder, uint64_t start_s, char *ret_name);
/* When the segment of this name began, since 1970; 0: it is no name of a segment. */
uint64_t segment_start(const char *name);
/* Lists the folder. Negative errno. */
int segments_read(int folder, struct segments *ret_segments);
/* Removes those that ended before @oldest_s, that is whose successor began before it, and then the
 * oldest until the rest has at most @max_bytes (0: any number); never one that begins at @current_s
 * or later. Returns how many. */
size_t segments_prune(int folder, const struct segments *segments, uint64_t oldest_s,
		      uint64_t max_bytes, uint64_t current_s);

/* Removes all but those of these names. Returns how many. */
size_t segments_clear(int folder, const struct segments *segments, const char *const *kept,
		      size_t kept_count);

#endif
