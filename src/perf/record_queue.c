/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/record_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	NO_TWIN = -1,
	KEPT_BYTES = 1024 * 1024, /* unused room that is kept */
};

#define NO_ORDER UINT64_MAX

struct entry {
	uint64_t time_ns;
	uint64_t order; /* of arrival; breaks ties */
	size_t offset;	/* of the record's bytes */
	uint32_t size;
	int64_t twin_offset; /* of the other record of the same mapping; NO_TWIN: none */
	uint32_t twin_size;
};

/* A record that was added during a release. */
struct late_comer {
	size_t ring;
	size_t offset; /* in late_bytes */
	size_t size;
};

struct record_queue {
	VEC(struct entry) entries;
	VEC(struct late_comer) late_comers;
	struct buf late_bytes;
	bool releasing;
	struct buf bytes;   /* all records, 8-byte aligned like in the ring */
	struct buf spare;   /* the next buffer, when compacting */
	uint64_t *last_map; /* per ring: the order of its last mapping record, or NO_ORDER */
	uint64_t order;
	uint64_t released_ns;
	struct record_queue_counts counts;
	struct perf_format format;
	struct record_queue_events events; /* all NULL: all records are of one event */
};

struct record_queue *record_queue_new(size_t rings, const struct perf_format *format)
{
	struct record_queue *queue = xcalloc(1, sizeof(*queue));

	queue->format = *format;
	queue->last_map = xmalloc(rings * sizeof(*queue->last_map));
	memset(queue->last_map, 0xff, rings * sizeof(*queue->last_map));
	return queue;
}

void record_queue_set_events(struct record_queue *queue, const struct record_queue_events *events)
{
	queue->events = *events;
}

static const struct perf_format *format_of(const struct record_queue *queue, const void *bytes,
					   size_t size)
{
	const struct perf_format *format = NULL;

	if (queue->events.format_of)
		format = queue->events.format_of(queue->events.context,
						 perf_record_id(bytes, size, &queue->format));
	return format ? format : &queue->format;
}

void record_queue_free(struct record_queue *queue)
{
	if (!queue)
		return;
	vec_free(&queue->entries);
	buf_done(&queue->bytes);
	buf_done(&queue->spare);
	vec_free(&queue->late_comers);
	buf_done(&queue->late_bytes);
	free(queue->last_map);
	free(queue);
}

static uint32_t type_of(const void *bytes)
{
	struct perf_event_header header;

	memcpy(&header, bytes, sizeof(header));
	return header.type;
}

static bool has_build_id(const struct record_queue *queue, const void *bytes)
{
	struct perf_record record;
	struct perf_event_header header;

	memcpy(&header, bytes, sizeof(header));
	return perf_record_read(bytes, header.size, &queue->format, &record) == 0 &&
	       record.mmap.build_id_size;
}

/* True if two mapping records describe the same mapping. They agree in everything but the identity
 * of the file, which follows pid, tid, start, size and offset. */
static bool same_mapping(const struct record_queue *queue, const void *a, const void *b)
{
	const size_t header = sizeof(struct perf_event_header), fields = 4 + 4 + 8 + 8 + 8;

	return memcmp((const char *)a + header, (const char *)b + header, fields) == 0 &&
	       has_build_id(queue, a) != has_build_id(queue, b);
}

/* The waiting entry that arrived as number @order. It arrived recently, so search from the end. */
static struct entry *find_order(struct record_queue *queue, uint64_t order)
{
	for (size_t i = queue->entries.count; i-- > 0;) {
		if (queue->entries.items[i].order == order)
			return &queue->entries.items[i];
	}
	return NULL;
}

/* Joins a mapping record to the previous one of its ring if both describe the same mapping. */
static bool join_twin(struct record_queue *queue, size_t ring, size_t offset, uint32_t size)
{
	struct entry *entry = NULL;

	if (queue->last_map[ring] != NO_ORDER)
		entry = find_order(queue, queue->last_map[ring]);
	queue->last_map[ring] = NO_ORDER;
	if (!entry ||
	    !same_mapping(queue, queue->bytes.bytes + entry->offset, queue->bytes.bytes + offset))
		return false;
	entry->twin_offset = (int64_t)offset;
	entry->twin_size = size;
	return true;
}

/* Replaces the id in a sample by that of the event that wrote it, if they differ. */
static void set_writer(struct record_queue *queue, size_t ring, char *bytes, size_t size)
{
	uint64_t id = perf_record_id(bytes, size, &queue->format), writer;
	size_t at;

	if (!id || !queue->events.whose || !perf_format_id_at(&queue->format, true, &at))
		return;
	writer = queue->events.whose(queue->events.context, ring, id);
	memcpy(bytes + at, &writer, sizeof(writer));
}

static void add_now(struct record_queue *queue, size_t ring, const void *bytes, size_t size)
{
	size_t offset = queue->bytes.size;
	uint64_t time_ns = perf_record_time(bytes, size, &queue->format);

	buf_add(&queue->bytes, bytes, size);
	if (type_of(bytes) == PERF_RECORD_MMAP2) {
		if (join_twin(queue, ring, offset, (uint32_t)size))
			return;
		queue->last_map[ring] = queue->order;
	} else if (type_of(bytes) == PERF_RECORD_SAMPLE) {
		set_writer(queue, ring, queue->bytes.bytes + offset, size);
	}
	if (time_ns < queue->released_ns)
		queue->counts.late++;
	*vec_push(&queue->entries) = (struct entry){ .time_ns = time_ns,
						     .order = queue->order++,
						     .offset = offset,
						     .size = (uint32_t)size,
						     .twin_offset = NO_TWIN };
}

static void add_later(struct record_queue *queue, size_t ring, const void *bytes, size_t size)
{
	*vec_push(&queue->late_comers) =
		(struct late_comer){ .ring = ring, .offset = queue->late_bytes.size, .size = size };
	buf_add(&queue->late_bytes, bytes, size);
}

void record_queue_add(struct record_queue *queue, size_t ring, const void *bytes, size_t size)
{
	if (queue->releasing)
		add_later(queue, ring, bytes, size);
	else
		add_now(queue, ring, bytes, size);
}

size_t record_queue_waiting(const struct record_queue *queue)
{
	return queue->bytes.size + queue->late_bytes.size;
}

DEFINE_ORDER(by_time, struct entry, COMPARE(a->time_ns, b->time_ns) ?: COMPARE(a->order, b->order))

/* Adds the file identity of a mapping's second record. */
static void add_twin(struct record_queue *queue, const struct entry *entry,
		     struct perf_record *record)
{
	struct perf_record twin;

	if (entry->twin_offset == NO_TWIN ||
	    perf_record_read(queue->bytes.bytes + entry->twin_offset, entry->twin_size,
			     &queue->format, &twin) < 0)
		return;
	if (twin.mmap.build_id_size) {
		memcpy(record->mmap.build_id, twin.mmap.build_id, twin.mmap.build_id_size);
		record->mmap.build_id_size = twin.mmap.build_id_size;
	} else {
		record->mmap.dev = twin.mmap.dev;
		record->mmap.inode = twin.mmap.inode;
	}
}

static size_t keep(struct buf *spare, const char *bytes, size_t size)
{
	size_t offset = spare->size;

	buf_add(spare, bytes, size);
	return offset;
}

/* Drops the first @done entries and the bytes that no entry uses. */
static void compact(struct record_queue *queue, size_t done)
{
	struct buf old = queue->bytes;
	size_t left = queue->entries.count - done;

	buf_clear(&queue->spare);
	for (size_t i = 0; i < left; i++) {
		struct entry *entry = &queue->entries.items[i];

		*entry = queue->entries.items[done + i];
		entry->offset = keep(&queue->spare, old.bytes + entry->offset, entry->size);
		if (entry->twin_offset != NO_TWIN)
			entry->twin_offset = (int64_t)keep(
				&queue->spare, old.bytes + entry->twin_offset, entry->twin_size);
	}
	queue->entries.count = left;
	queue->bytes = queue->spare;
	queue->spare = old;
	/* Copied stacks need much room for a short burst only. */
	if (queue->spare.capacity > KEPT_BYTES)
		buf_done(&queue->spare);
}

static void add_late_comers(struct record_queue *queue)
{
	for (size_t i = 0; i < queue->late_comers.count; i++) {
		const struct late_comer *late = &queue->late_comers.items[i];

		add_now(queue, late->ring, queue->late_bytes.bytes + late->offset, late->size);
	}
	queue->late_comers.count = 0;
	buf_clear(&queue->late_bytes);
	if (queue->late_bytes.capacity > KEPT_BYTES)
		buf_done(&queue->late_bytes);
}

void record_queue_release(struct record_queue *queue, uint64_t cutoff_ns,
			  void (*take)(void *context, const struct perf_record *record),
			  void *context)
{
	size_t done;

	if (queue->entries.count)
		qsort(queue->entries.items, queue->entries.count, sizeof(struct entry), by_time);
	queue->releasing = true;
	for (done = 0; done < queue->entries.count; done++) {
		const struct entry *entry = &queue->entries.items[done];
		const void *bytes = queue->bytes.bytes + entry->offset;
		struct perf_record record;

		if (entry->time_ns > cutoff_ns)
			break;
		if (entry->time_ns > queue->released_ns)
			queue->released_ns = entry->time_ns;
		if (perf_record_read(bytes, entry->size, format_of(queue, bytes, entry->size),
				     &record) < 0) {
			queue->counts.malformed++;
			continue;
		}
		if (record.type == PERF_RECORD_MMAP2)
			add_twin(queue, entry, &record);
		take(context, &record);
	}
	queue->releasing = false;
	compact(queue, done);
	add_late_comers(queue);
}

struct record_queue_counts record_queue_counts(const struct record_queue *queue)
{
	return queue->counts;
}
