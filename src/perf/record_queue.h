/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the records of all rings by time. Each drain adds what the rings hold, then releases in
 * order what is older than a cutoff a little before the start of the drain, because no ring can
 * still bring an earlier record. The rest waits for the next drain.
 *
 * The kernel reports each mapping twice, once with (dev, inode) and once with the build id, because
 * two events ask for it. Both records come from one CPU, one right after the other. The queue joins
 * them into one.
 */
#ifndef PERF_RECORD_QUEUE_H
#define PERF_RECORD_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "perf/perf_record.h"

struct record_queue;

/* @format: of all records except those for which record_queue_set_events names another; copied. */
struct record_queue *record_queue_new(size_t rings, const struct perf_format *format);
void record_queue_free(struct record_queue *queue);

/* The events whose records arrive. Ids are those of perf_record_id. */
struct record_queue_events {
	void *context; /* passed to both functions */
	/* The format of an event's samples (borrowed; NULL: the queue's). All formats agree on the
	 * places of time and id. */
	const struct perf_format *(*format_of)(void *context, uint64_t id);
	/* The id of the event that wrote a sample with this id to ring @ring. NULL: the id is
	 * right. */
	uint64_t (*whose)(void *context, size_t ring, uint64_t id);
};

/* For queues with more than one event. Copies @events. */
void record_queue_set_events(struct record_queue *queue, const struct record_queue_events *events);

/* Copies a record of ring @ring (< rings). May be called during a release; the record then waits
 * for the next one. */
void record_queue_add(struct record_queue *queue, size_t ring, const void *bytes, size_t size);
/* Bytes of all records in the queue, including those being released. */
size_t record_queue_waiting(const struct record_queue *queue);

struct record_queue_counts {
	uint64_t late; /* records older than something already released */
	uint64_t malformed;
};

/* Passes all records with time <= cutoff to @take, by time; records of equal time in the order in
 * which they were added. Whatever a record borrows is valid only during the call. */
void record_queue_release(struct record_queue *queue, uint64_t cutoff_ns,
			  void (*take)(void *context, const struct perf_record *record),
			  void *context);
struct record_queue_counts record_queue_counts(const struct record_queue *queue);

#endif
