/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of records: what attribution needs to know about a record that the record itself does
 * not say. The sampler is one source (record/live_source.h), a recording of perf another
 * (import/import_data.c), and unit tests have their own.
 */
#ifndef ATTRIBUTE_RECORD_SOURCE_H
#define ATTRIBUTE_RECORD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/perf_record.h"

enum { RECORD_NO_EVENT = -1 };

/* The event that wrote a record. */
struct record_origin {
	int event;	    /* index into profile.events; RECORD_NO_EVENT: none */
	bool is_time;	    /* the event counts nanoseconds */
	bool idle;	    /* it also samples the idle task, where only interrupts count */
	bool waits;	    /* its samples are records of the off-CPU programs */
	bool counts_losses; /* the kernel counts what the event lost */
	uint64_t weight;    /* of a sample, in the event's unit; 0 for other records */
};

struct record_source {
	/* Called at most once per record. */
	struct record_origin (*origin)(void *context, const struct perf_record *record);
	void *context; /* borrowed */
};

static inline struct record_origin record_origin(const struct record_source *source,
						 const struct perf_record *record)
{
	return source->origin(source->context, record);
}

#endif
