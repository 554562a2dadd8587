/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What records say of samples that are missing: records that found the ring full, and throttling.
 * Full rings are reported twice by perf of 6.1 and later: by records in the ring, of any event and
 * without regard to what was lost, and at the end by what the kernel counted for each event.
 */
#ifndef ATTRIBUTE_RECORD_LOSSES_H
#define ATTRIBUTE_RECORD_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "attribute/record_source.h"
#include "base/vec.h"
#include "model/profile.h"

enum { RECORD_LOSSES_MAX_THROTTLES = 65536 }; /* that have not ended */

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
	uint64_t lost; /* all that records of loss reported, whatever their event */
	/* by event of the profile */
	uint64_t in_ring[PROFILE_MAX_EVENTS], at_end[PROFILE_MAX_EVENTS];
	uint64_t by_processor[PROFILE_MAX_EVENTS]; /* these were in no ring */
};

/* A PERF_RECORD_THROTTLE or _UNTHROTTLE. The end of a throttle is a loss of its event, of as much
 * weight as it took, if the event counts nanoseconds. Events that sample the idle task are passed
 * over: hardly anything of theirs is kept, so throttling takes nothing. */
void record_losses_throttle(struct record_losses *losses, const struct perf_record *record,
			    const struct record_origin *origin, struct profile *profile);
/* The recording ends: throttles that are still open last until @end_ns. */
void record_losses_end(struct record_losses *losses, uint64_t end_ns, struct profile *profile);
/* A PERF_RECORD_LOST or _LOST_SAMPLES. */
void record_losses_take(struct record_losses *losses, const struct perf_record *record,
			const struct record_origin *origin);
/* After the last record, where nothing but records tells of losses: what was lost, and what it
 * would have weighed, into the profile. */
void record_losses_settle(const struct record_losses *losses, struct profile *profile);
void record_losses_done(struct record_losses *losses);

#endif
