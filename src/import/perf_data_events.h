/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a perf recording: their attributes, names, and the ids by which records name their
 * event. Attributes may have any size, from older and newer kernels, and either byte order.
 */
#ifndef IMPORT_PERF_DATA_EVENTS_H
#define IMPORT_PERF_DATA_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/reader.h"
#include "base/vec.h"
#include "perf/perf_format.h"

enum {
	PERF_DATA_MAX_EVENTS = 4096,
	PERF_DATA_MAX_IDS = 1 << 20, /* of all events */
	PERF_DATA_MIN_ATTR = 64,     /* PERF_ATTR_SIZE_VER0 */
	PERF_DATA_MAX_ATTR = 4096,
};

struct perf_data_event {
	struct perf_event_attr attr; /* in our byte order; fields that the recording lacks are 0 */
	struct perf_format format;
	char *name; /* owned; as perf calls it */
	bool named; /* the recording names it; else its attributes do */
};

struct perf_data_id {
	uint64_t id;
	uint32_t event;
};

/* Empty when zero-initialised. */
struct perf_data_events {
	VEC(struct perf_data_event) list;
	VEC(struct perf_data_id) ids;
	struct hashidx index; /* of ids */
	uint64_t *swap_room;  /* for the formats; NULL: our byte order. Borrowed */
};

/* Reads a perf_event_attr from all bytes of @reader, in its byte order. */
struct perf_event_attr perf_data_events_attr(struct reader reader);

/* Appends an event; false: too many. */
bool perf_data_events_add(struct perf_data_events *events, const struct perf_event_attr *attr);
/* Adds an id of an event (< list.count). An id belongs to the first event that has it. False: too
 * many. */
bool perf_data_events_add_id(struct perf_data_events *events, uint64_t id, size_t event);
/* The event of an id, 0 being that of records without one; list.count: unknown. */
size_t perf_data_events_find(const struct perf_data_events *events, uint64_t id);
/* Names an event; an empty name is ignored. */
void perf_data_events_name(struct perf_data_events *events, size_t event, const char *name);
void perf_data_events_done(struct perf_data_events *events);

#endif
