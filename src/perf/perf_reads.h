/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of their event or group that samples carry (PERF_SAMPLE_READ, perf's ":S"). Members of
 * a group have no samples of their own: each sample of the leader has the current counts of all. A
 * member's weight is what it counted since its last sample, as in perf
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

enum { PERF_READS_MAX = 1 << 20 }; /* counters that can be followed */

/* The last known value of a counter. */
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

/* The id and the current value of the sample's counter @member, from 0. False if there is no such
 * member, or ids were not recorded. */
bool perf_reads_member(const struct perf_read *read, size_t member, uint64_t *ret_id,
		       uint64_t *ret_value);

/* What the counter counted since the last call for it, or since its start on the first call. @tid:
 * the thread, if the id stands for inherited counters of several threads; else 0. False if there
 * are more than PERF_READS_MAX counters. */
bool perf_reads_since(struct perf_reads *reads, uint64_t id, int32_t tid, uint64_t value,
		      uint64_t *ret_count);

#endif
