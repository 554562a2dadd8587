/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records byte for byte as perf_event_open(2) lays them out, put into the queue of a live recording
 * and handed out in its order: what attribution gets of a kernel, without a kernel.
 */
#ifndef TESTS_UNIT_ATTRIBUTE_RECORD_STREAM_H
#define TESTS_UNIT_ATTRIBUTE_RECORD_STREAM_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/perf_record.h"
#include "perf/record_queue.h"

/* Whom a record is of, when, and which event wrote it. */
struct stamp {
	uint64_t time_ns;
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t id;
};

enum {
	STREAM_ROOM = 2048,   /* words of one record */
	STREAM_RAW_IDS = 500, /* samples of events from this id on have PERF_SAMPLE_RAW */
};

struct record_stream {
	struct record_queue *queue;
	struct perf_format raw_format;
	uint64_t words[STREAM_ROOM]; /* the record being made */
	size_t size;
};

static inline const struct perf_format *stream_format(void *context, uint64_t id)
{
	const struct record_stream *stream = context;

	return id >= STREAM_RAW_IDS ? &stream->raw_format : NULL;
}

static inline struct record_stream *stream_new(void)
{
	struct record_stream *stream = calloc(1, sizeof(*stream));
	const struct perf_format format = perf_record_live_format();
	const struct record_queue_events events = { .context = stream, .format_of = stream_format };

	stream->raw_format = format;
	stream->raw_format.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	stream->raw_format.sample_type |= PERF_SAMPLE_RAW;
	stream->queue = record_queue_new(1, &format);
	record_queue_set_events(stream->queue, &events);
	return stream;
}

static inline void stream_free(struct record_stream *stream)
{
	record_queue_free(stream->queue);
	free(stream);
}

/* ---- making a record ---- */

static inline void put(struct record_stream *stream, const void *bytes, size_t size)
{
	memcpy((char *)stream->words + stream->size, bytes, size);
	stream->size += size;
}

static inline void put_u32(struct record_stream *stream, uint32_t value)
{
	put(stream, &value, sizeof(value));
}

static inline void put_u64(struct record_stream *stream, uint64_t value)
{
	put(stream, &value, sizeof(value));
}

/* With its NUL, and padding to 8 bytes. */
static inline void put_text(struct record_stream *stream, const char *text)
{
	char padded[256] = { 0 };

	strncpy(padded, text, sizeof(padded) - 8);
	put(stream, padded, (strlen(padded) + 8) / 8 * 8);
}

static inline void record_begin(struct record_stream *stream)
{
	memset(stream->words, 0, sizeof(stream->words));
	stream->size = sizeof(struct perf_event_header);
}

static inline void record_end(struct record_stream *stream, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { type, misc, (uint16_t)stream->size };

	memcpy(stream->words, &header, sizeof(header));
	record_queue_add(stream->queue, 0, stream->words, stream->size);
}

/* The trailer of all records but samples, and the end. */
static inline void record_stamp(struct record_stream *stream, const struct stamp *stamp,
				uint32_t type, uint16_t misc)
{
	put_u32(stream, (uint32_t)stamp->pid);
	put_u32(stream, (uint32_t)stamp->tid);
	put_u64(stream, stamp->time_ns);
	put_u32(stream, stamp->cpu);
	put_u32(stream, 0);
	put_u64(stream, stamp->id);
	record_end(stream, type, misc);
}

/* ---- one record each ---- */

/* @type: PERF_RECORD_FORK or _EXIT, of the stamp's thread. */
static inline void stream_task(struct record_stream *stream, const struct stamp *stamp,
			       uint32_t type, int32_t parent_pid, int32_t parent_tid)
{
	record_begin(stream);
	put_u32(stream, (uint32_t)stamp->pid);
	put_u32(stream, (uint32_t)parent_pid);
	put_u32(stream, (uint32_t)stamp->tid);
	put_u32(stream, (uint32_t)parent_tid);
	put_u64(stream, stamp->time_ns);
	record_stamp(stream, stamp, type, 0);
}

static inline void stream_comm(struct record_stream *stream, const struct stamp *stamp,
			       const char *comm, uint16_t misc)
{
	record_begin(stream);
	put_u32(stream, (uint32_t)stamp->pid);
	put_u32(stream, (uint32_t)stamp->tid);
	put_text(stream, comm);
	record_stamp(stream, stamp, PERF_RECORD_COMM, misc);
}

/* PERF_RECORD_MMAP2 of executable memory, device 8:1, @inode 0: without a file. */
static inline void stream_mmap(struct record_stream *stream, const struct stamp *stamp,
			       uint64_t start, uint64_t size, uint64_t inode, const char *path)
{
	record_begin(stream);
	put_u32(stream, (uint32_t)stamp->pid);
	put_u32(stream, (uint32_t)stamp->tid);
	put_u64(stream, start);
	put_u64(stream, size);
	put_u64(stream, 0);
	put_u32(stream, inode ? 8 : 0);
	put_u32(stream, inode ? 1 : 0);
	put_u64(stream, inode);
	put_u64(stream, 0);
	put_u32(stream, 5); /* PROT_READ | PROT_EXEC */
	put_u32(stream, 2); /* MAP_PRIVATE */
	put_text(stream, path);
	record_stamp(stream, stamp, PERF_RECORD_MMAP2, 0);
}

static inline void put_sample_head(struct record_stream *stream, const struct stamp *stamp,
				   uint64_t ip)
{
	record_begin(stream);
	put_u64(stream, stamp->id);
	put_u64(stream, ip);
	put_u32(stream, (uint32_t)stamp->pid);
	put_u32(stream, (uint32_t)stamp->tid);
	put_u64(stream, stamp->time_ns);
	put_u32(stream, stamp->cpu);
	put_u32(stream, 0);
	put_u64(stream, 1); /* period */
}

/* @chain: as the kernel writes it, with its marks. */
static inline void stream_sample(struct record_stream *stream, const struct stamp *stamp,
				 uint16_t misc, uint64_t ip, const uint64_t *chain, size_t count)
{
	put_sample_head(stream, stamp, ip);
	put_u64(stream, count);
	if (count)
		put(stream, chain, count * sizeof(*chain));
	record_end(stream, PERF_RECORD_SAMPLE, misc);
}

/* What a program wrote; the stamp's id from STREAM_RAW_IDS on. @raw: its first 4 bytes are the room
 * for the size, as in struct stack_record. */
static inline void stream_raw(struct record_stream *stream, const struct stamp *stamp,
			      uint16_t misc, uint64_t ip, const void *raw, size_t size)
{
	size_t padded = (size + 7) / 8 * 8;

	put_sample_head(stream, stamp, ip);
	put_u32(stream, (uint32_t)(padded - sizeof(uint32_t)));
	put(stream, (const char *)raw + sizeof(uint32_t), size - sizeof(uint32_t));
	stream->size += padded - size;
	record_end(stream, PERF_RECORD_SAMPLE, misc);
}

/* @type: PERF_RECORD_LOST or _LOST_SAMPLES. */
static inline void stream_lost(struct record_stream *stream, const struct stamp *stamp,
			       uint32_t type, uint64_t count)
{
	record_begin(stream);
	if (type == PERF_RECORD_LOST)
		put_u64(stream, stamp->id);
	put_u64(stream, count);
	record_stamp(stream, stamp, type, 0);
}

/* @type: PERF_RECORD_THROTTLE or _UNTHROTTLE. */
static inline void stream_throttle(struct record_stream *stream, const struct stamp *stamp,
				   uint32_t type)
{
	record_begin(stream);
	put_u64(stream, stamp->time_ns);
	put_u64(stream, stamp->id);
	put_u64(stream, stamp->id);
	record_stamp(stream, stamp, type, 0);
}

/* PERF_RECORD_SWITCH of the stamp's thread; @misc: PERF_RECORD_MISC_SWITCH_OUT ... */
static inline void stream_switch(struct record_stream *stream, const struct stamp *stamp,
				 uint16_t misc)
{
	record_begin(stream);
	record_stamp(stream, stamp, PERF_RECORD_SWITCH, misc);
}

/* ---- all of them, in order of time ---- */

static inline void stream_drain(struct record_stream *stream,
				void (*take)(void *context, const struct perf_record *record),
				void *context)
{
	record_queue_release(stream->queue, UINT64_MAX, take, context);
}

#endif
