/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dispatches records, live ones and those of perf's recordings, by type. What is common to both is
 * done here: ending threads, counting losses, tracking throttles until they end. What differs is a
 * hook of the caller.
 */
#ifndef ATTRIBUTE_DISPATCH_H
#define ATTRIBUTE_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/machine.h"
#include "model/profile.h"
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

/* A source of records: what attribution needs to know about a record that the record itself does
 * not say. The sampler is one source (record/record_input.h), a recording of perf another
 * (import/import_data.c), and unit tests have their own. */
struct record_source {
	/* Called at most once per record. */
	struct record_origin (*origin)(void *context, const struct perf_record *record);
	void *context; /* borrowed */
};

/* A hook may be NULL: then nothing is done, but names and forks change the machine as they are.
 * @context is the dispatcher's. An int is 0, or a negative errno that dispatch_take returns. */
struct dispatch_hooks {
	/* Sees each record first; false: the record is skipped. */
	bool (*admit)(void *context, const struct perf_record *record);
	int (*sample)(void *context, const struct perf_record *record,
		      const struct record_origin *origin);
	int (*map)(void *context, const struct perf_record *record);
	void (*comm)(void *context, const struct perf_record *record);
	void (*fork)(void *context, const struct perf_record *record);
	/* The thread is about to end in the machine. */
	void (*leave)(void *context, const struct perf_record *record);
	void (*ksymbol)(void *context, const struct perf_record *record);
	void (*cgroup)(void *context, const struct perf_record *record);
};

enum { DISPATCH_MAX_THROTTLES = 65536 }; /* open at one time */

/* A throttle that has not ended. */
struct dispatch_throttle {
	uint64_t id, since_ns;
	uint32_t cpu;
	int event; /* index into profile.events */
	bool is_time;
};

/*
 * Zero-initialised, except for what is borrowed. Full rings are reported twice by perf 6.1 and
 * later: by records in the ring, of any event and not only of samples, and at the end by the
 * kernel's count for each event.
 */
struct dispatch {
	struct profile *profile; /* borrowed, like the next four */
	struct machine *machine;
	struct record_source source;
	const struct dispatch_hooks *hooks;
	void *context; /* of the hooks */
	VEC(struct dispatch_throttle) throttles;
	uint64_t lost; /* reported by all records, of any event */
	/* by event of the profile */
	uint64_t in_ring[PROFILE_MAX_EVENTS], at_end[PROFILE_MAX_EVENTS];
	uint64_t by_processor[PROFILE_MAX_EVENTS]; /* these were never in a ring */
};

void dispatch_done(struct dispatch *dispatch);

/* Takes the next record, in order of time. Types that are not in the table are skipped. Returns 0
 * unless a hook fails. */
int dispatch_take(struct dispatch *dispatch, const struct perf_record *record);

/* Ends the recording: throttles that are still open end at @end_ns. */
void dispatch_end(struct dispatch *dispatch, uint64_t end_ns);
/* Call after the last record if only records report losses of full rings: puts the losses and their
 * estimated weight into the profile. */
void dispatch_settle_losses(const struct dispatch *dispatch);

#endif
