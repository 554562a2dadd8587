/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of all rings in one order of time. Each drain adds what the rings hold, then
 * releases, sorted, what is older than a cutoff: a little before the drain began, so that no ring
 * can still bring something earlier. The rest waits for the next drain.
 *
 * The kernel reports each mapping twice, once with (dev, inode) and once with the build id, because
 * two events ask for it; both come from one CPU, one behind the other. The queue makes them one
 * record.
 */
#ifndef PERF_RECORD_QUEUE_H
#define PERF_RECORD_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "perf/perf_record.h"

struct record_queue;

/* @format: of all the records, but for those that record_queue_set_events tells of; copied. */
struct record_queue *record_queue_new(size_t rings, const struct perf_format *format);
void record_queue_free(struct record_queue *queue);

/* What is known of the events whose records come; ids are those of perf_record_id. */
struct record_queue_events {
	void *context; /* given to each */
	/* The format of an event's samples (borrowed; NULL: the queue's). All agree in where time
	 * and id are. */
	const struct perf_format *(*format_of)(void *context, uint64_t id);
	/* The event that wrote a sample to ring number @ring in which this id stands. NULL: that
	 * of the id. */
	uint64_t (*whose)(void *context, size_t ring, uint64_t id);
};

/* For queues of more than one event; copied. */
void record_queue_set_events(struct record_queue *queue, const struct record_queue_events *events);

/* Takes a copy of a record of ring number @ring (< rings). Also while records are handed out: it
 * then waits for the next release. */
void record_queue_add(struct record_queue *queue, size_t ring, const void *bytes, size_t size);
/* Bytes of all records that are here, those being handed out included. */
size_t record_queue_waiting(const struct record_queue *queue);

struct record_queue_counts {
	uint64_t late; /* records older than something already released */
	uint64_t malformed;
};

/* Hands out all records with time <= cutoff, in order of time (records of equal time in the order
 * they were added). What a record borrows is valid during the call. */
void record_queue_release(struct record_queue *queue, uint64_t cutoff_ns,
			  void (*take)(void *context, const struct perf_record *record),
			  void *context);
struct record_queue_counts record_queue_counts(const struct record_queue *queue);

#endif
