/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampler as a source of records, and its events as events of a profile. */
#ifndef RECORD_LIVE_SOURCE_H
#define RECORD_LIVE_SOURCE_H

#include "attribute/record_source.h"
#include "model/profile.h"
#include "sampling/sampler.h"

struct live_source {
	const struct sampler *sampler;	      /* borrowed */
	int clock_event;		      /* index in profile.events */
	int named_events[SAMPLER_MAX_EVENTS]; /* by the sampler's index; or RECORD_NO_EVENT */
	bool is_time[SAMPLER_MAX_EVENTS];
};

/* Fills in *live, adds the sampler's events to the profile, which has none yet, and returns the
 * source, which borrows *live. The clock is event 0. */
struct record_source live_source_begin(struct live_source *live, const struct sampler *sampler,
				       struct profile *profile);

#endif
