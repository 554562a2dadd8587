/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the records of a perf recording by time. perf drains the buffers of all CPUs one by one and
 * writes a mark after each round. At a mark no record can still arrive that is older than the
 * youngest one of the round before, so records up to that time are passed on.
 *
 * Memory is bounded: if no marks come, the older half of the waiting records is passed on, and
 * records that arrive too late after that are counted.
 */
#ifndef IMPORT_PERF_DATA_QUEUE_H
#define IMPORT_PERF_DATA_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct perf_data_queue;

/* Gets a record's bytes, 8-byte aligned and borrowed for the call. Any result but 0 is returned at
 * once. */
typedef int (*perf_data_queue_take)(void *context, const void *bytes, size_t size, size_t event);

/* @most_bytes: limit for waiting records. */
struct perf_data_queue *perf_data_queue_new(size_t most_bytes, perf_data_queue_take take,
					    void *context);
void perf_data_queue_free(struct perf_data_queue *queue); /* NULL is fine */
DEFINE_CLEANUP(struct perf_data_queue *, perf_data_queue_free);

/* Adds a copy of a record. @time_ns UINT64_MAX: it has no time, and follows the one added before
 * it. Each of these functions may call take. */
int perf_data_queue_add(struct perf_data_queue *queue, const void *bytes, size_t size,
			uint64_t time_ns, size_t event);
int perf_data_queue_round(struct perf_data_queue *queue);
/* At the end of the input: passes on all records. */
int perf_data_queue_finish(struct perf_data_queue *queue);
/* Records that arrived after younger ones had been passed on. */
uint64_t perf_data_queue_late(const struct perf_data_queue *queue);

#endif
