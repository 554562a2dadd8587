/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps the events of a perf recording to those of a profile. */
#ifndef IMPORT_IMPORT_EVENTS_H
#define IMPORT_IMPORT_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "import/import_profile.h"
#include "import/perf_data.h"

/* Empty when zero-initialised except for the pointers, which are borrowed. */
struct import_events {
	struct import_profile *import;
	const struct perf_data *data;
	VEC(int) list; /* by event of the recording: event of the profile, or not declared yet */
};

void import_events_done(struct import_events *events);

/* The profile's event for an event of the recording; IMPORT_NO_EVENT: too many. The first call for
 * an event adds it, so the profile has only events with samples or losses. */
int import_events_of(struct import_events *events, size_t index);

/* True if the event counts nanoseconds. */
bool import_events_is_time(const struct perf_event_attr *attr);

#endif
