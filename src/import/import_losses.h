/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording of perf tells of samples that are missing: records that found the ring full, and
 * throttling. Full rings are told twice by perf of 6.1 and later: by records in the ring, of any
 * event and without regard to what was lost, and at the end by what the kernel counted for each
 * event.
 */
#ifndef IMPORT_IMPORT_LOSSES_H
#define IMPORT_IMPORT_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"
#include "perf/perf_record.h"

enum { IMPORT_LOSSES_MAX_THROTTLES = 65536 }; /* that have not ended */

/* A throttle that has not ended. */
struct import_throttle {
	uint64_t id, since_ns;
	uint32_t cpu;
};

/* Zero-initialised is empty. */
struct import_losses {
	VEC(struct import_throttle) throttles;
	/* by event of the profile */
	uint64_t in_ring[PROFILE_MAX_EVENTS], at_end[PROFILE_MAX_EVENTS];
	uint64_t by_processor[PROFILE_MAX_EVENTS]; /* these were in no ring */
};

/* A PERF_RECORD_THROTTLE or _UNTHROTTLE of an event of the profile: its end is a loss of the event,
 * of as much weight as it took, if that counts nanoseconds. */
void import_losses_throttle(struct import_losses *losses, const struct perf_record *record,
			    bool is_time, struct event *event);
/* A PERF_RECORD_LOST or _LOST_SAMPLES of an event of the profile (an index). @counted: the kernel
 * was asked to count what each event lost. */
void import_losses_take(struct import_losses *losses, const struct perf_record *record,
			bool counted, size_t event);
/* After the last record: what was lost, and what it would have weighed, into the profile. */
void import_losses_settle(const struct import_losses *losses, struct profile *profile);
void import_losses_done(struct import_losses *losses);

#endif
