/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several profiles become one: the rows of each are found in, or added to, those of the merged one,
 * and what was known of its run is added up. Rows are the same by content, whatever their numbers:
 *
 *   image    kind, path and build id; without one also device, inode, size and time of the file, and
 *            the machine (of the kernel and its modules: its boot)
 *   process  boot, pid, start and program; a process that goes on from one recording to the next is
 *            one row
 *   event    name, unit and clock
 *   others   as in model/profile.h
 *
 * Where profiles differ in what they know of a row, the one that knows more counts: a name, an end.
 *
 * The clock of the merged profile is CLOCK_MONOTONIC of the first one's boot. Times of others are
 * shifted by what CLOCK_REALTIME says.
 */
#ifndef MODEL_MERGE_H
#define MODEL_MERGE_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "model/profile.h"

/* From the rows of one profile to those of the merged one. Zero-initialised is empty. */
struct merge_map {
	VEC(uint32_t) texts, images, processes, tasks, symbols, frames, stacks;
	uint8_t events[PROFILE_MAX_EVENTS];
	int64_t shift_ns; /* to be added to times, but for 0: not known */
};

void merge_map_done(struct merge_map *map);

struct merge;

/* @into is new, and borrowed until merge_free. */
struct merge *merge_new(struct profile *into);
void merge_free(struct merge *merge);
/* Adds the rows and the sums of @from, but neither its samples nor its branches. In order of
 * start_realtime_ns, or processes that go on are not recognised. @end_ns: of @from by its own
 * clock, for one that did not finish that of its samples. The caller frees *ret_map, also after an
 * error. -E2BIG and one line: more than PROFILE_MAX_EVENTS. */
int merge_add(struct merge *merge, const struct profile *from, uint64_t end_ns,
	      struct merge_map *ret_map, struct err *err);
/* How many machines the profiles are of; one that does not name its machine counts as another. */
size_t merge_machines(const struct merge *merge);
/* The sample as one of the merged profile. */
struct sample merge_sample(const struct merge_map *map, const struct sample *sample);
struct branch merge_branch(const struct merge_map *map, const struct branch *branch);

#endif
