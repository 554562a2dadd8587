/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Missing samples, as records report them: records lost because the ring was full, and throttling.
 * perf 6.1 and later reports full rings twice: by records in the ring, of any event and not only of
 * samples, and at the end by the kernel's count for each event.
 */
#ifndef ATTRIBUTE_RECORD_LOSSES_H
#define ATTRIBUTE_RECORD_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "attribute/record_source.h"
#include "base/vec.h"
#include "model/profile.h"

enum { RECORD_LOSSES_MAX_THROTTLES = 65536 }; /* open at one time */

/* A throttle that has not ended. */
struct record_throttle {
	uint64_t id, since_ns;
	uint32_t cpu;
	int event; /* index into profile.events */
	bool is_time;
};

/* Zero-initialised is empty. */
struct record_losses {
	VEC(struct record_throttle) throttles;
	uint64_t lost; /* reported by all records, of any event */
	/* by event of the profile */
	uint64_t in_ring[PROFILE_MAX_EVENTS], at_end[PROFILE_MAX_EVENTS];
	uint64_t by_processor[PROFILE_MAX_EVENTS]; /* these were never in a ring */
};

/* Takes PERF_RECORD_THROTTLE and _UNTHROTTLE. At its end a throttle becomes a loss of its event;
 * the weight is its duration if the event counts nanoseconds. Events that sample the idle task are
 * ignored: almost none of their samples are kept, so throttling loses nothing. */
void record_losses_throttle(struct record_losses *losses, const struct perf_record *record,
			    const struct record_origin *origin, struct profile *profile);
/* Ends the recording: throttles that are still open end at @end_ns. */
void record_losses_end(struct record_losses *losses, uint64_t end_ns, struct profile *profile);
/* Takes PERF_RECORD_LOST and _LOST_SAMPLES. */
void record_losses_take(struct record_losses *losses, const struct perf_record *record,
			const struct record_origin *origin);
/* Call after the last record if only records report losses: puts the losses and their estimated
 * weight into the profile. */
void record_losses_settle(const struct record_losses *losses, struct profile *profile);
void record_losses_done(struct record_losses *losses);

#endif
