/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf records made by hand, byte for byte as perf_event_open(2) lays them out. */
#ifndef TESTS_UNIT_PERF_RECORDS_H
#define TESTS_UNIT_PERF_RECORDS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/perf_record.h"
#include "perf/record_queue.h"

enum {
	MADE_ROOM = 2048,	      /* words of one record */
	MADE_MISC_BUILD_ID = 1 << 14, /* PERF_RECORD_MISC_MMAP_BUILD_ID */
	MADE_MMAP_IDENTITY_AT = 40,   /* bytes into PERF_RECORD_MMAP2 */
};

struct made_record {
	uint64_t words[MADE_ROOM]; /* aligned as in a ring */
	size_t size;
};

static inline void made_add(struct made_record *made, const void *bytes, size_t size)
{
	memcpy((char *)made->words + made->size, bytes, size);
	made->size += size;
}

static inline void made_u32(struct made_record *made, uint32_t value)
{
	made_add(made, &value, sizeof(value));
}

static inline void made_u64(struct made_record *made, uint64_t value)
{
	made_add(made, &value, sizeof(value));
}

/* With its NUL, and padding to 8 bytes. */
static inline void made_text(struct made_record *made, const char *text)
{
	char padded[256] = { 0 };

	strncpy(padded, text, sizeof(padded) - 8);
	made_add(made, padded, (strlen(padded) + 8) / 8 * 8);
}

static inline void made_begin(struct made_record *made)
{
	memset(made, 0, sizeof(*made));
	made->size = sizeof(struct perf_event_header);
}

static inline void made_end(struct made_record *made, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { type, misc, (uint16_t)made->size };

	memcpy(made->words, &header, sizeof(header));
}

/* The last fields of all records but samples. */
static inline void made_trailer(struct made_record *made, uint32_t pid, uint32_t tid,
				uint64_t time_ns, uint32_t cpu, uint64_t id)
{
	made_u32(made, pid);
	made_u32(made, tid);
	made_u64(made, time_ns);
	made_u32(made, cpu);
	made_u32(made, 0);
	made_u64(made, id);
}

static inline void made_comm(struct made_record *made, uint64_t time_ns, uint32_t pid,
			     const char *comm, uint16_t misc)
{
	made_begin(made);
	made_u32(made, pid);
	made_u32(made, pid);
	made_text(made, comm);
	made_trailer(made, pid, pid, time_ns, 1, 77);
	made_end(made, PERF_RECORD_COMM, misc);
}

/* @build_id: 20 bytes, or NULL for a record with dev 8:1 and inode 99. */
static inline void made_mmap(struct made_record *made, uint64_t time_ns, uint64_t start,
			     const uint8_t *build_id)
{
	const uint32_t size_word = 20;

	made_begin(made);
	made_u32(made, 5);
	made_u32(made, 6);
	made_u64(made, start);
	made_u64(made, 0x1000);
	made_u64(made, 0x2000);
	if (build_id) {
		made_u32(made, size_word);
		made_add(made, build_id, 20);
	} else {
		made_u32(made, 8);
		made_u32(made, 1);
		made_u64(made, 99);
		made_u64(made, 0);
	}
	made_u64(made, 5);
	made_text(made, "/bin/thing");
	made_trailer(made, 5, 6, time_ns, 0, 78);
	made_end(made, PERF_RECORD_MMAP2, build_id ? MADE_MISC_BUILD_ID : 0);
}

static inline void made_set_misc(struct made_record *made, uint16_t misc)
{
	struct perf_event_header header;

	memcpy(&header, made->words, sizeof(header));
	header.misc = misc;
	memcpy(made->words, &header, sizeof(header));
}

static inline void made_sample(struct made_record *made, uint64_t time_ns, uint64_t ip,
			       const uint64_t *chain, uint64_t chain_length)
{
	made_begin(made);
	made_u64(made, 79);
	made_u64(made, ip);
	made_u32(made, 5);
	made_u32(made, 6);
	made_u64(made, time_ns);
	made_u32(made, 1);
	made_u32(made, 0);
	made_u64(made, 1003009);
	made_u64(made, chain_length);
	for (uint64_t i = 0; chain && i < chain_length; i++)
		made_u64(made, chain[i]);
	made_end(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

/* ---- the queue of a live recording, which hands records out in its order: what attribution gets
 * of a kernel, without a kernel ---- */

/* Whom a record is of, when, and which event wrote it. */
struct stamp {
	uint64_t time_ns;
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t id;
};

enum {
	STREAM_RAW_IDS = 500, /* samples of events from this id on have PERF_SAMPLE_RAW */
};

struct record_stream {
	struct record_queue *queue;
	struct perf_format raw_format;
	struct made_record made;
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

static inline void stream_end(struct record_stream *stream, uint32_t type, uint16_t misc)
{
	made_end(&stream->made, type, misc);
	record_queue_add(stream->queue, 0, stream->made.words, stream->made.size);
}

/* The trailer, and the end. */
static inline void stream_stamp(struct record_stream *stream, const struct stamp *stamp,
				uint32_t type, uint16_t misc)
{
	made_trailer(&stream->made, (uint32_t)stamp->pid, (uint32_t)stamp->tid, stamp->time_ns,
		     stamp->cpu, stamp->id);
	stream_end(stream, type, misc);
}

/* ---- one record each ---- */

/* @type: PERF_RECORD_FORK or _EXIT, of the stamp's thread. */
static inline void stream_task(struct record_stream *stream, const struct stamp *stamp,
			       uint32_t type, int32_t parent_pid, int32_t parent_tid)
{
	made_begin(&stream->made);
	made_u32(&stream->made, (uint32_t)stamp->pid);
	made_u32(&stream->made, (uint32_t)parent_pid);
	made_u32(&stream->made, (uint32_t)stamp->tid);
	made_u32(&stream->made, (uint32_t)parent_tid);
	made_u64(&stream->made, stamp->time_ns);
	stream_stamp(stream, stamp, type, 0);
}

static inline void stream_comm(struct record_stream *stream, const struct stamp *stamp,
			       const char *comm, uint16_t misc)
{
	made_begin(&stream->made);
	made_u32(&stream->made, (uint32_t)stamp->pid);
	made_u32(&stream->made, (uint32_t)stamp->tid);
	made_text(&stream->made, comm);
	stream_stamp(stream, stamp, PERF_RECORD_COMM, misc);
}

/* PERF_RECORD_MMAP2 of executable memory, device 8:1, @inode 0: without a file. */
static inline void stream_mmap(struct record_stream *stream, const struct stamp *stamp,
			       uint64_t start, uint64_t size, uint64_t inode, const char *path)
{
	made_begin(&stream->made);
	made_u32(&stream->made, (uint32_t)stamp->pid);
	made_u32(&stream->made, (uint32_t)stamp->tid);
	made_u64(&stream->made, start);
	made_u64(&stream->made, size);
	made_u64(&stream->made, 0);
	made_u32(&stream->made, inode ? 8 : 0);
	made_u32(&stream->made, inode ? 1 : 0);
	made_u64(&stream->made, inode);
	made_u64(&stream->made, 0);
	made_u32(&stream->made, 5); /* PROT_READ | PROT_EXEC */
	made_u32(&stream->made, 2); /* MAP_PRIVATE */
	made_text(&stream->made, path);
	stream_stamp(stream, stamp, PERF_RECORD_MMAP2, 0);
}

static inline void stream_sample_head(struct record_stream *stream, const struct stamp *stamp,
				      uint64_t ip)
{
	made_begin(&stream->made);
	made_u64(&stream->made, stamp->id);
	made_u64(&stream->made, ip);
	made_u32(&stream->made, (uint32_t)stamp->pid);
	made_u32(&stream->made, (uint32_t)stamp->tid);
	made_u64(&stream->made, stamp->time_ns);
	made_u32(&stream->made, stamp->cpu);
	made_u32(&stream->made, 0);
	made_u64(&stream->made, 1); /* period */
}

/* @chain: as the kernel writes it, with its marks. */
static inline void stream_sample(struct record_stream *stream, const struct stamp *stamp,
				 uint16_t misc, uint64_t ip, const uint64_t *chain, size_t count)
{
	stream_sample_head(stream, stamp, ip);
	made_u64(&stream->made, count);
	if (count)
		made_add(&stream->made, chain, count * sizeof(*chain));
	stream_end(stream, PERF_RECORD_SAMPLE, misc);
}

/* What a program wrote; the stamp's id from STREAM_RAW_IDS on. @raw: its first 4 bytes are the room
 * for the size, as in struct stack_record. */
static inline void stream_raw(struct record_stream *stream, const struct stamp *stamp,
			      uint16_t misc, uint64_t ip, const void *raw, size_t size)
{
	size_t padded = (size + 7) / 8 * 8;

	stream_sample_head(stream, stamp, ip);
	made_u32(&stream->made, (uint32_t)(padded - sizeof(uint32_t)));
	made_add(&stream->made, (const char *)raw + sizeof(uint32_t), size - sizeof(uint32_t));
	stream->made.size += padded - size;
	stream_end(stream, PERF_RECORD_SAMPLE, misc);
}

/* @type: PERF_RECORD_LOST or _LOST_SAMPLES. */
static inline void stream_lost(struct record_stream *stream, const struct stamp *stamp,
			       uint32_t type, uint64_t count)
{
	made_begin(&stream->made);
	if (type == PERF_RECORD_LOST)
		made_u64(&stream->made, stamp->id);
	made_u64(&stream->made, count);
	stream_stamp(stream, stamp, type, 0);
}

/* @type: PERF_RECORD_THROTTLE or _UNTHROTTLE. */
static inline void stream_throttle(struct record_stream *stream, const struct stamp *stamp,
				   uint32_t type)
{
	made_begin(&stream->made);
	made_u64(&stream->made, stamp->time_ns);
	made_u64(&stream->made, stamp->id);
	made_u64(&stream->made, stamp->id);
	stream_stamp(stream, stamp, type, 0);
}

/* PERF_RECORD_SWITCH of the stamp's thread; @misc: PERF_RECORD_MISC_SWITCH_OUT ... */
static inline void stream_switch(struct record_stream *stream, const struct stamp *stamp,
				 uint16_t misc)
{
	made_begin(&stream->made);
	stream_stamp(stream, stamp, PERF_RECORD_SWITCH, misc);
}

/* ---- all of them, in order of time ---- */

static inline void stream_drain(struct record_stream *stream,
				void (*take)(void *context, const struct perf_record *record),
				void *context)
{
	record_queue_release(stream->queue, UINT64_MAX, take, context);
}

#endif
