/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts that samples carry of their event or of its group (PERF_SAMPLE_READ, perf's ":S"):
 * members of a group have no samples of their own, each one of the leader's tells how far all have
 * counted. What a member weighs is what it counted since it was told last, as perf has it
 * (linux:tools/perf/util/session.c, deliver_sample_value).
 */
#ifndef PERF_PERF_READS_H
#define PERF_PERF_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "perf/perf_sample.h"

enum { PERF_READS_MAX = 1 << 20 }; /* counters that are followed */

/* How far a counter was when it was told last. */
struct perf_reads_last {
	uint64_t id;
	uint64_t value;
	int32_t tid;
};

/* Zero-initialised is empty. */
struct perf_reads {
	VEC(struct perf_reads_last) list;
	struct hashidx index; /* of list, by id and thread */
};

void perf_reads_done(struct perf_reads *reads);

/* What a sample tells of its @member-th counter, from 0 on: its id, and how far it is. False: no
 * such member, or ids were not recorded. */
bool perf_reads_member(const struct perf_read *read, size_t member, uint64_t *ret_id,
		       uint64_t *ret_value);

/* What the counter counted since the last call for it; from its beginning, the first time. @tid:
 * the thread, where an id stands for inherited counters of several; else 0. False: there are more
 * counters than can be followed. */
bool perf_reads_since(struct perf_reads *reads, uint64_t id, int32_t tid, uint64_t value,
		      uint64_t *ret_count);

#endif
