/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "base/zstd_stream.h"
#include "import/perf_data_head.h"
#include "import/perf_data_parts.h"
#include "import/perf_data_queue.h"

enum {
	MAX_RECORD_BYTES = 65536,
	MAX_WAITING_BYTES = 128 * 1024 * 1024, /* records that wait to be sorted */
	MOST_RATIO = 2000,		       /* of decompressed to compressed bytes */
};

/* Records that perf adds to the kernel's (tools/lib/perf/include/perf/event.h, enum
 * perf_user_event_type). */
enum {
	USER_TYPES = 64,
	USER_ATTR = 64,
	USER_EVENT_TYPE = 65,
	USER_TRACING_DATA = 66,
	USER_BUILD_ID = 67,
	USER_FINISHED_ROUND = 68,
	USER_AUXTRACE = 71,
	USER_EVENT_UPDATE = 78,
	USER_FEATURE = 80,
	USER_COMPRESSED = 81,
	USER_COMPRESSED2 = 83,
};

/* The type of USER_EVENT_UPDATE that has a name. */
enum { UPDATE_NAME = 2 };

struct perf_data {
	struct perf_data_head head;
	struct perf_data_queue *queue;
	struct perf_data_parts parts;
	struct perf_data_part *part; /* the one being read */
	size_t left_out;	     /* parts */
	struct err damage;	     /* the head's, and omitted parts */
	perf_data_visit visit;
	void *context;
	struct perf_data_counts counts;
	bool scanning; /* only for facts about the recording */
	uint64_t record[MAX_RECORD_BYTES / 8];
};

bool perf_data_is(const void *bytes, size_t size)
{
	return size >= PERF_DATA_MAGIC_BYTES &&
	       (memcmp(bytes, "PERFILE2", PERF_DATA_MAGIC_BYTES) == 0 ||
		memcmp(bytes, "2ELIFREP", PERF_DATA_MAGIC_BYTES) == 0 ||
		memcmp(bytes, "PERFFILE", PERF_DATA_MAGIC_BYTES) == 0);
}

const struct perf_data_events *perf_data_events(const struct perf_data *data)
{
	return &data->head.events;
}

const struct perf_data_facts *perf_data_facts(const struct perf_data *data)
{
	return &data->head.facts;
}

/* ---- records ---- */

static int take_ordered(void *context, const void *bytes, size_t size, size_t event)
{
	struct perf_data *data = context;
	struct perf_record record;

	if (perf_record_read(bytes, size, &data->head.events.list.items[event].format, &record) <
	    0) {
		data->counts.malformed++;
		return 0;
	}
	data->counts.records++;
	return data->visit(data->context, &record, event);
}

/* perf's description of the state at the start ends in zeroes: its time is 0, so it comes first. */
static uint64_t order_time(const void *bytes, size_t size, uint32_t type,
			   const struct perf_format *format)
{
	struct perf_record record;
	size_t at;

	if (perf_format_time_at(format, type == PERF_RECORD_SAMPLE, &at))
		return perf_record_time(bytes, size, format);
	if ((type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT) &&
	    perf_record_read(bytes, size, format, &record) == 0)
		return record.time_ns;
	return UINT64_MAX;
}

static int queue_record(struct perf_data *data, const void *bytes, size_t size, uint32_t type)
{
	const struct perf_format *format;
	uint64_t time_ns;
	size_t event;

	format = &data->head.events.list.items[0].format;
	event = perf_data_events_find(&data->head.events, perf_record_id(bytes, size, format));
	/* perf's events for its own use are not declared in the recording. Their records of
	 * mappings and kernel code are valid all the same. */
	if (event >= data->head.events.list.count && type != PERF_RECORD_SAMPLE)
		event = 0;
	if (event >= data->head.events.list.count) {
		data->counts.foreign++;
		return 0;
	}
	format = &data->head.events.list.items[event].format;
	time_ns = order_time(bytes, size, type, format);
	if (time_ns != UINT64_MAX && time_ns > data->part->last_ns)
		data->part->last_ns = time_ns;
	return perf_data_queue_add(data->queue, bytes, size, time_ns, event);
}

static void tell_damage(struct perf_data *data)
{
	const struct err *damage = &data->head.damage;

	if (data->left_out)
		err_set(&data->damage, 0,
			"%s%s%zu of its files data.N are omitted: only %d are read", damage->text,
			damage->text[0] ? "; " : "", data->left_out, PERF_DATA_MAX_PARTS);
	else
		data->damage = *damage;
}

static void end_reading(struct perf_data *data, const char *why)
{
	if (!data->head.damage.text[0])
		err_set(&data->head.damage, 0, "%s", why);
	data->part->ended = true;
}

static void take_attr(struct perf_data *data, struct reader body)
{
	struct reader head = body;
	uint32_t size;

	reader_u32(&head);
	size = reader_u32(&head);
	if (size < PERF_DATA_MIN_ATTR)
		size = PERF_DATA_MIN_ATTR;
	if (size > reader_left(&body))
		return;
	if (perf_data_head_attr(&data->head, reader_sub(&body, size), NULL) == 0)
		perf_data_head_ids(&data->head, body);
}

static void take_update(struct perf_data *data, struct reader body)
{
	uint64_t kind = reader_u64(&body);
	size_t event = perf_data_events_find(&data->head.events, reader_u64(&body));

	if (kind == UPDATE_NAME && event < data->head.events.list.count)
		perf_data_events_name(&data->head.events, event, reader_cstr(&body));
}

static void take_feature(struct perf_data *data, struct reader body)
{
	uint64_t feature = reader_u64(&body);

	if (feature < PERF_DATA_FEATURES)
		perf_data_features_read(&data->head.facts, &data->head.events, (unsigned)feature,
					body);
}

/* The record is followed by bytes that its size does not include. */
static void skip_payload(struct perf_data *data, uint64_t size, bool inside)
{
	if (inside || !perf_data_input_skip(data->part->input, size))
		end_reading(data, "truncated within a trace");
}

static int take_compressed(struct perf_data *data, struct reader body, bool has_size, bool inside);

/* Takes a record about the recording itself. A pipe was scanned for these; in a file few of them
 * are records. */
static void take_told(struct perf_data *data, uint32_t type, struct reader whole)
{
	struct reader body = whole;

	reader_bytes(&body, sizeof(struct perf_event_header));
	if (data->head.pipe && !data->scanning)
		return;
	switch (type) {
	case USER_ATTR:
		take_attr(data, body);
		break;
	case USER_EVENT_TYPE:
		perf_data_features_types(&data->head.events, body);
		break;
	case USER_BUILD_ID:
		perf_data_features_build_id(&data->head.facts, whole);
		break;
	case USER_EVENT_UPDATE:
		take_update(data, body);
		break;
	case USER_FEATURE:
		take_feature(data, body);
		break;
	default:
		break;
	}
}

static int take_user(struct perf_data *data, uint32_t type, struct reader whole, bool inside)
{
	struct reader body = whole;

	reader_bytes(&body, sizeof(struct perf_event_header));
	switch (type) {
	case USER_TRACING_DATA:
		skip_payload(data, reader_u32(&body), inside);
		break;
	case USER_AUXTRACE:
		skip_payload(data, reader_u64(&body), inside);
		break;
	case USER_FINISHED_ROUND:
		/* a round of one part does not cover the others */
		return data->scanning || data->parts.list.count > 1
			       ? 0
			       : perf_data_queue_round(data->queue);
	case USER_COMPRESSED:
	case USER_COMPRESSED2:
		if (data->scanning)
			return 0;
		return take_compressed(data, body, type == USER_COMPRESSED2, inside);
	default:
		take_told(data, type, whole);
		break;
	}
	return 0;
}

static int take_record(struct perf_data *data, const void *bytes, size_t size, bool inside)
{
	struct reader whole = perf_data_head_reader(&data->head, bytes, size), head = whole;
	uint32_t type = reader_u32(&head);

	if (type < USER_TYPES)
		return data->scanning ? 0 : queue_record(data, bytes, size, type);
	return take_user(data, type, whole, inside);
}

/* The size in a record's header; 0: not a record. */
static size_t record_size(const struct perf_data *data, const uint8_t *header)
{
	struct reader reader =
		perf_data_head_reader(&data->head, header, sizeof(struct perf_event_header));
	uint16_t size;

	reader_u32(&reader);
	reader_u16(&reader);
	size = reader_u16(&reader);
	return size >= sizeof(struct perf_event_header) ? size : 0;
}

/* ---- compressed records ---- */

/* Takes all whole records of the decompressed bytes; the rest waits for more. */
static int take_plain(void *context, const void *bytes, size_t size)
{
	struct perf_data *data = context;
	struct buf *plain = &data->part->plain;
	size_t at = 0;
	int rc = 0;

	buf_add(plain, bytes, size);
	while (rc == 0 && !data->part->ended &&
	       plain->size - at >= sizeof(struct perf_event_header)) {
		const uint8_t *from = (const uint8_t *)plain->bytes + at;
		size_t length = record_size(data, from);

		if (length == 0)
			end_reading(data, "corrupt compressed record");
		if (length == 0 || length > plain->size - at)
			break;
		memcpy(data->record, from, length);
		rc = take_record(data, data->record, length, true);
		at += length;
	}
	if (at < plain->size && at > 0)
		memmove(plain->bytes, plain->bytes + at, plain->size - at);
	plain->size -= at;
	return rc;
}

static int take_compressed(struct perf_data *data, struct reader body, bool has_size, bool inside)
{
	uint64_t size = has_size ? reader_u64(&body) : reader_left(&body);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct err err = { .text = "" };
	int rc;

	if (inside || body.bad || size > reader_left(&body)) {
		end_reading(data, "corrupt compressed record");
		return 0;
	}
	if (!data->part->zstd)
		data->part->zstd = zstd_stream_new(MOST_RATIO);
	/* The decompressed records may overwrite this one. */
	bytes = xmemdup(reader_bytes(&body, size), size);
	rc = zstd_stream_feed(data->part->zstd, bytes, size, take_plain, data, &err);
	if (rc < 0 && err.text[0]) {
		end_reading(data, err.text);
		rc = 0;
	}
	return rc;
}

/* ---- all of it ---- */

/* Reads one record, in the order of the file. */
static int read_record(struct perf_data *data)
{
	struct perf_data_input *input = data->part->input;
	const uint8_t *header;
	size_t there = perf_data_input_peek(input, sizeof(struct perf_event_header), &header);
	size_t size;

	if (there == 0 && input->error)
		end_reading(data, strerror(-input->error));
	if (there == 0) {
		data->part->ended = true;
		return 0;
	}
	size = there == sizeof(struct perf_event_header) ? record_size(data, header) : 0;
	if (size == 0 && there == sizeof(struct perf_event_header))
		end_reading(data, "corrupt file: a record of impossible size");
	else if (size == 0 || !perf_data_input_read(input, data->record, size))
		end_reading(data, "truncated within a record");
	return data->part->ended ? 0 : take_record(data, data->record, size, false);
}

/* In a pipe build ids come last, and features may come anywhere. */
static int scan_pipe(struct perf_data *data, struct err *err)
{
	data->scanning = true;
	perf_data_input_seek(&data->head.input, PERF_DATA_PIPE_HEAD_BYTES, UINT64_MAX);
	while (!data->part->ended)
		read_record(data);
	data->scanning = data->part->ended = false;
	data->head.damage.text[0] = '\0';
	perf_data_input_seek(&data->head.input, PERF_DATA_PIPE_HEAD_BYTES, UINT64_MAX);
	if (data->head.input.error)
		return err_set(err, data->head.input.error, "cannot be read: %s",
			       strerror(-data->head.input.error));
	return data->head.events.list.count ? 0 : err_set(err, -EINVAL, "it has no events");
}

int perf_data_open(struct perf_data_input *input, struct perf_data **ret_data, struct err *err)
{
	_cleanup_(perf_data_freep) struct perf_data *data = xcalloc(1, sizeof(*data));
	int rc;

	data->head.input = *input;
	data->part = perf_data_parts_add(&data->parts, &data->head.input);
	*input = (struct perf_data_input){ .fd = -1 };
	rc = perf_data_head_magic(&data->head, err);
	if (rc == 0)
		rc = perf_data_input_make_seekable(&data->head.input, err);
	if (rc == 0)
		rc = data->head.pipe ? scan_pipe(data, err) : perf_data_head_file(&data->head, err);
	tell_damage(data);
	if (rc == 0)
		*ret_data = steal_ptr(data);
	return rc;
}

int perf_data_add_folder(struct perf_data *data, int folder, struct err *err)
{
	int rc = perf_data_parts_add_folder(&data->parts, folder, &data->left_out, err);

	tell_damage(data);
	return rc;
}

void perf_data_free(struct perf_data *data)
{
	if (!data)
		return;
	perf_data_parts_done(&data->parts);
	perf_data_head_done(&data->head);
	perf_data_queue_free(data->queue);
	free(data);
}

int perf_data_run(struct perf_data *data, perf_data_visit visit, void *context)
{
	int rc = 0;

	data->visit = visit;
	data->context = context;
	data->queue = perf_data_queue_new(MAX_WAITING_BYTES, take_ordered, data);
	while (rc == 0 && (data->part = perf_data_parts_next(&data->parts)))
		rc = read_record(data);
	if (rc == 0)
		rc = perf_data_queue_finish(data->queue);
	data->counts.late = perf_data_queue_late(data->queue);
	tell_damage(data);
	return rc;
}

struct perf_data_counts perf_data_counts(const struct perf_data *data)
{
	return data->counts;
}

const char *perf_data_damage(const struct perf_data *data)
{
	return data->damage.text;
}
