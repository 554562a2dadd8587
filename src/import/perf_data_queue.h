/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a recording of perf in order of time. perf writes what it finds in one CPU's
 * buffer after the other; behind each round through all of them comes a mark: what was younger than
 * everything in the round before cannot be overtaken any more once this one is done.
 *
 * Memory is bounded: where no marks come for long, the older half of what waits is let go, and what
 * then comes too late is counted.
 */
#ifndef IMPORT_PERF_DATA_QUEUE_H
#define IMPORT_PERF_DATA_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct perf_data_queue;

/* Gets a record's bytes, 8-byte aligned and borrowed for the call. 0 goes on; else it is returned
 * at once. */
typedef int (*perf_data_queue_take)(void *context, const void *bytes, size_t size, size_t event);

/* @most_bytes: of records that wait. */
struct perf_data_queue *perf_data_queue_new(size_t most_bytes, perf_data_queue_take take,
					    void *context);
void perf_data_queue_free(struct perf_data_queue *queue); /* NULL is fine */
DEFINE_CLEANUP(struct perf_data_queue *, perf_data_queue_free);

/* Adds a copy of a record. @time_ns UINT64_MAX: it has none, and comes behind the one added before
 * it. Each of these may call take. */
int perf_data_queue_add(struct perf_data_queue *queue, const void *bytes, size_t size,
			uint64_t time_ns, size_t event);
int perf_data_queue_round(struct perf_data_queue *queue);
/* The end: everything is let go. */
int perf_data_queue_finish(struct perf_data_queue *queue);
/* Records that came after younger ones had been taken. */
uint64_t perf_data_queue_late(const struct perf_data_queue *queue);

#endif
