/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a recording of perf as those of a profile. */
#ifndef IMPORT_IMPORT_EVENTS_H
#define IMPORT_IMPORT_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "import/import_profile.h"
#include "import/perf_data.h"

/* Zero-initialised but for the pointers, which are borrowed, is empty. */
struct import_events {
	struct import_profile *import;
	const struct perf_data *data;
	VEC(int) list; /* of the recording -> of the profile, or not declared yet */
};

void import_events_done(struct import_events *events);

/* The event of the profile that an event of the recording is; IMPORT_NO_EVENT: there are too many.
 * Only events that are asked for are in the profile: those that have samples, or lost some. */
int import_events_of(struct import_events *events, size_t index);

/* Does it count nanoseconds? */
bool import_events_is_time(const struct perf_event_attr *attr);

#endif
