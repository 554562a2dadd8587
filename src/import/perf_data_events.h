/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a recording of perf: their attributes, names, and the ids by which records tell
 * which one they belong to. Attributes may be of any size, older and younger than we know, and of
 * either byte order.
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
	struct perf_event_attr attr; /* in our byte order; what the recording has not is 0 */
	struct perf_format format;
	char *name; /* owned; as perf calls it */
	bool named; /* by the recording: else told from the attributes */
};

struct perf_data_id {
	uint64_t id;
	uint32_t event;
};

/* Zero-initialised is empty. */
struct perf_data_events {
	VEC(struct perf_data_event) list;
	VEC(struct perf_data_id) ids;
	struct hashidx index; /* of ids */
	uint64_t *swap_room;  /* for the formats; NULL: our byte order. Borrowed */
};

/* A perf_event_attr of @reader's bytes, all of them, in its byte order. */
struct perf_event_attr perf_data_events_attr(struct reader reader);

/* Appends an event; false: there are too many. */
bool perf_data_events_add(struct perf_data_events *events, const struct perf_event_attr *attr);
/* An id of an event (< list.count). The first to claim it has it. False: there are too many. */
bool perf_data_events_add_id(struct perf_data_events *events, uint64_t id, size_t event);
/* The event of an id, or of records without one (0); list.count: none has it. */
size_t perf_data_events_find(const struct perf_data_events *events, uint64_t id);
/* Names an event, unless the name is empty. */
void perf_data_events_name(struct perf_data_events *events, size_t event, const char *name);
void perf_data_events_done(struct perf_data_events *events);

#endif
