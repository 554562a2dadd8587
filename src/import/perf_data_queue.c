/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data_queue.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/xalloc.h"

struct entry {
	uint64_t time_ns;
	uint64_t order; /* of arrival, for equal times */
	size_t offset;	/* of the record's bytes */
	uint32_t size;
	uint32_t event;
};

struct perf_data_queue {
	size_t most_bytes;
	perf_data_queue_take take;
	void *context;
	VEC(struct entry) entries;
	struct buf bytes; /* of the records, 8-byte aligned */
	struct buf spare; /* gets the remaining bytes when released ones are dropped */
	uint64_t order;
	uint64_t newest_ns, round_ns; /* the youngest time so far; the same at the last round */
	uint64_t taken_ns, last_ns;
	uint64_t late;
};

struct perf_data_queue *perf_data_queue_new(size_t most_bytes, perf_data_queue_take take,
					    void *context)
{
	struct perf_data_queue *queue = xcalloc(1, sizeof(*queue));

	queue->most_bytes = most_bytes;
	queue->take = take;
	queue->context = context;
	return queue;
}

void perf_data_queue_free(struct perf_data_queue *queue)
{
	if (!queue)
		return;
	vec_free(&queue->entries);
	buf_done(&queue->bytes);
	buf_done(&queue->spare);
	free(queue);
}

static int by_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Drops the first @done entries and their bytes. */
static void compact(struct perf_data_queue *queue, size_t done)
{
	struct buf old = queue->bytes;
	size_t left = queue->entries.count - done;

	buf_clear(&queue->spare);
	for (size_t i = 0; i < left; i++) {
		struct entry *entry = &queue->entries.items[i];

		*entry = queue->entries.items[done + i];
		buf_add(&queue->spare, old.bytes + entry->offset, (entry->size + 7U) & ~7U);
		entry->offset = queue->spare.size - ((entry->size + 7U) & ~7U);
	}
	queue->entries.count = left;
	queue->bytes = queue->spare;
	queue->spare = old;
}

/* Passes on, in order, at most @most records that are not younger than @until_ns. */
static int release(struct perf_data_queue *queue, uint64_t until_ns, size_t most)
{
	size_t done;
	int rc = 0;

	if (queue->entries.count == 0)
		return 0;
	qsort(queue->entries.items, queue->entries.count, sizeof(struct entry), by_time);
	for (done = 0; rc == 0 && done < queue->entries.count && done < most; done++) {
		const struct entry *entry = &queue->entries.items[done];

		if (entry->time_ns > until_ns)
			break;
		if (entry->time_ns > queue->taken_ns)
			queue->taken_ns = entry->time_ns;
		rc = queue->take(queue->context, queue->bytes.bytes + entry->offset, entry->size,
				 entry->event);
	}
	if (done > 0)
		compact(queue, done);
	return rc;
}

int perf_data_queue_add(struct perf_data_queue *queue, const void *bytes, size_t size,
			uint64_t time_ns, size_t event)
{
	static const char padding[8];
	size_t offset = queue->bytes.size;

	if (time_ns == UINT64_MAX)
		time_ns = queue->last_ns;
	queue->last_ns = time_ns;
	if (time_ns && time_ns < queue->taken_ns)
		queue->late++;
	if (time_ns > queue->newest_ns)
		queue->newest_ns = time_ns;
	buf_add(&queue->bytes, bytes, size);
	buf_add(&queue->bytes, padding, -size & 7);
	*vec_push(&queue->entries) = (struct entry){ .time_ns = time_ns,
						     .order = queue->order++,
						     .offset = offset,
						     .size = (uint32_t)size,
						     .event = (uint32_t)event };
	if (queue->bytes.size <= queue->most_bytes)
		return 0;
	return release(queue, UINT64_MAX, queue->entries.count / 2 + 1);
}

int perf_data_queue_round(struct perf_data_queue *queue)
{
	int rc = release(queue, queue->round_ns, SIZE_MAX);

	queue->round_ns = queue->newest_ns;
	return rc;
}

int perf_data_queue_finish(struct perf_data_queue *queue)
{
	return release(queue, UINT64_MAX, SIZE_MAX);
}

uint64_t perf_data_queue_late(const struct perf_data_queue *queue)
{
	return queue->late;
}
