/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "base/zstd_stream.h"
#include "collect/perf_data_queue.h"

enum {
	MAGIC_BYTES = 8,
	PIPE_HEADER_BYTES = 16,
	FILE_HEADER_BYTES = 104,
	FEATURE_BITS = 256,
	SECTION_BYTES = 16,
	MAX_RECORD_BYTES = 65536,
	MAX_FEATURE_BYTES = 64 * 1024 * 1024, /* of one feature */
	MAX_ATTRS_BYTES = PERF_DATA_MAX_EVENTS * (PERF_DATA_MAX_ATTR + SECTION_BYTES),
	MAX_IDS_BYTES = 8 * PERF_DATA_MAX_IDS,
	MAX_TYPES_BYTES = 1024 * 1024,
	MAX_WAITING_BYTES = 128 * 1024 * 1024, /* records that wait to be put in order */
	MOST_RATIO = 2000,		       /* of compression */
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

/* What of USER_EVENT_UPDATE is a name. */
enum { UPDATE_NAME = 2 };

struct section {
	uint64_t offset, size;
};

struct perf_data {
	struct perf_data_input input;
	bool pipe;
	bool swap; /* the recording has the other byte order */
	uint64_t swap_room[PERF_FORMAT_MAX_WORDS];
	struct section data;
	uint64_t features[FEATURE_BITS / 64];
	struct perf_data_events events;
	struct perf_data_facts facts;
	struct perf_data_queue *queue;
	struct zstd_stream *zstd;
	struct buf plain; /* decompressed and not read yet */
	perf_data_visit visit;
	void *context;
	struct perf_data_counts counts;
	struct err damage;
	bool ended; /* nothing can be read any more */
	uint64_t record[MAX_RECORD_BYTES / 8];
};

bool perf_data_is(const void *bytes, size_t size)
{
	return size >= MAGIC_BYTES && (memcmp(bytes, "PERFILE2", MAGIC_BYTES) == 0 ||
				       memcmp(bytes, "2ELIFREP", MAGIC_BYTES) == 0 ||
				       memcmp(bytes, "PERFFILE", MAGIC_BYTES) == 0);
}

const struct perf_data_events *perf_data_events(const struct perf_data *data)
{
	return &data->events;
}

const struct perf_data_facts *perf_data_facts(const struct perf_data *data)
{
	return &data->facts;
}

static struct reader reader_of(const struct perf_data *data, const void *bytes, size_t size)
{
	struct reader reader = reader_make(bytes, size);

	reader.swap = data->swap;
	return reader;
}

static struct section read_section(struct reader *reader)
{
	struct section section;

	section.offset = reader_u64(reader);
	section.size = reader_u64(reader);
	return section;
}

/* The bytes of a section of the file, the caller's to free; NULL: they are not there, or more than
 * @most. */
static uint8_t *load(struct perf_data *data, struct section section, size_t most)
{
	_cleanup_free_ uint8_t *bytes = NULL;

	if (section.size > most || section.offset > data->input.size ||
	    section.size > data->input.size - section.offset)
		return NULL;
	bytes = xmalloc(section.size + 1);
	if (perf_data_input_at(&data->input, section.offset, bytes, section.size) != section.size)
		return NULL;
	return steal_ptr(bytes);
}

/* ---- the head of a file ---- */

static int add_attr(struct perf_data *data, struct reader attr, struct err *err)
{
	struct perf_event_attr parsed = perf_data_events_attr(attr);

	if (!perf_data_events_add(&data->events, &parsed))
		return err_set(err, -EBADMSG, "it has more than %d events", PERF_DATA_MAX_EVENTS);
	return 0;
}

static void add_ids(struct perf_data *data, struct reader ids)
{
	while (reader_left(&ids) >= sizeof(uint64_t)) {
		if (!perf_data_events_add_id(&data->events, reader_u64(&ids),
					     data->events.list.count - 1))
			return;
	}
}

/* Each entry is an attribute of as many bytes as perf had, and where its ids are. */
static int read_attrs(struct perf_data *data, struct section attrs, uint64_t entry_size,
		      struct err *err)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader entries;
	int rc = 0;

	if (entry_size < PERF_DATA_MIN_ATTR + SECTION_BYTES || entry_size > PERF_DATA_MAX_ATTR)
		return err_set(err, -EBADMSG,
			       "its head is damaged: attributes of %" PRIu64 " bytes", entry_size);
	bytes = load(data, attrs, MAX_ATTRS_BYTES);
	if (!bytes)
		return err_set(err, -EBADMSG, "it ends before its events are told");
	entries = reader_of(data, bytes, attrs.size);
	while (rc == 0 && reader_left(&entries) >= entry_size) {
		struct reader attr = reader_sub(&entries, entry_size - SECTION_BYTES);
		struct section at = read_section(&entries);
		_cleanup_free_ uint8_t *ids = load(data, at, MAX_IDS_BYTES);

		rc = add_attr(data, attr, err);
		if (rc == 0 && ids)
			add_ids(data, reader_of(data, ids, at.size));
	}
	return rc;
}

static void read_types(struct perf_data *data, struct section types)
{
	_cleanup_free_ uint8_t *bytes = load(data, types, MAX_TYPES_BYTES);

	if (bytes)
		perf_data_features_types(&data->events, reader_of(data, bytes, types.size));
}

/* Behind the records: for each feature, in ascending order, where it is. Not there when perf was
 * killed. */
static void read_features(struct perf_data *data)
{
	uint64_t at = data->data.offset + data->data.size;

	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		uint8_t entry[SECTION_BYTES];
		_cleanup_free_ uint8_t *bytes = NULL;
		struct section section;
		struct reader reader;

		if (!(data->features[i / 64] >> i % 64 & 1))
			continue;
		if (perf_data_input_at(&data->input, at, entry, sizeof(entry)) != sizeof(entry))
			return;
		at += sizeof(entry);
		reader = reader_of(data, entry, sizeof(entry));
		section = read_section(&reader);
		if (perf_data_features_known(i))
			bytes = load(data, section, MAX_FEATURE_BYTES);
		if (bytes)
			perf_data_features_read(&data->facts, &data->events, i,
						reader_of(data, bytes, section.size));
	}
}

/* perf fills in the size of the records when it ends. */
static void settle_data(struct perf_data *data)
{
	uint64_t file_size = data->input.size;
	uint64_t there = file_size > data->data.offset ? file_size - data->data.offset : 0;

	if (data->data.size == 0) {
		data->data.size = there;
		if (there)
			err_set(&data->damage, 0, "perf was killed while it recorded");
	} else if (data->data.size > there) {
		err_set(&data->damage, 0, "%" PRIu64 " of %" PRIu64 " bytes of records are missing",
			data->data.size - there, data->data.size);
		data->data.size = there;
	}
}

static int read_file_head(struct perf_data *data, struct err *err)
{
	uint8_t bytes[FILE_HEADER_BYTES];
	struct reader head = reader_of(data, bytes, sizeof(bytes));
	struct section attrs, types;
	uint64_t entry_size;
	int rc;

	if (perf_data_input_at(&data->input, 0, bytes, sizeof(bytes)) != sizeof(bytes))
		return err_set(err, -EBADMSG, "it ends within its head");
	reader_bytes(&head, MAGIC_BYTES);
	reader_u64(&head); /* size of the head */
	entry_size = reader_u64(&head);
	attrs = read_section(&head);
	data->data = read_section(&head);
	types = read_section(&head);
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		data->features[i] = reader_u64(&head);
	rc = read_attrs(data, attrs, entry_size, err);
	if (rc < 0)
		return rc;
	if (data->events.list.count == 0)
		return err_set(err, -EINVAL, "it has no events");
	read_types(data, types);
	settle_data(data);
	read_features(data);
	perf_data_input_seek(&data->input, data->data.offset, data->data.offset + data->data.size);
	return 0;
}

/* Pipe or file, our byte order or the other: what the first 16 bytes say. */
static int read_magic(struct perf_data *data, struct err *err)
{
	const uint8_t *bytes;
	size_t there = perf_data_input_peek(&data->input, PIPE_HEADER_BYTES, &bytes);
	struct reader size;
	uint64_t head_size;

	if (data->input.error)
		return err_set(err, data->input.error, "cannot be read: %s",
			       strerror(-data->input.error));
	if (!perf_data_is(bytes, there) || there < PIPE_HEADER_BYTES)
		return err_set(err, -EINVAL, "it is no recording of perf");
	size = reader_make(bytes + MAGIC_BYTES, sizeof(head_size));
	head_size = reader_u64(&size);
	/* The first magic reads the same in both orders; the size tells. */
	data->swap = head_size >> 32 != 0;
	if (data->swap)
		head_size = __builtin_bswap64(head_size);
	data->pipe = head_size == PIPE_HEADER_BYTES;
	if (!data->pipe && head_size < FILE_HEADER_BYTES)
		return err_set(err, -EBADMSG, "its head is damaged: %" PRIu64 " bytes long",
			       head_size);
	if (data->swap)
		data->events.swap_room = data->swap_room;
	return 0;
}

int perf_data_open(struct perf_data_input *input, struct perf_data **ret_data, struct err *err)
{
	_cleanup_(perf_data_freep) struct perf_data *data = xcalloc(1, sizeof(*data));
	int rc;

	data->input = *input;
	*input = (struct perf_data_input){ .fd = -1 };
	rc = read_magic(data, err);
	if (rc == 0 && data->pipe)
		perf_data_input_skip(&data->input, PIPE_HEADER_BYTES);
	if (rc == 0 && !data->pipe)
		rc = perf_data_input_make_seekable(&data->input, err);
	if (rc == 0 && !data->pipe)
		rc = read_file_head(data, err);
	if (rc == 0)
		*ret_data = steal_ptr(data);
	return rc;
}

void perf_data_free(struct perf_data *data)
{
	if (!data)
		return;
	perf_data_input_done(&data->input);
	perf_data_events_done(&data->events);
	perf_data_features_done(&data->facts);
	perf_data_queue_free(data->queue);
	zstd_stream_free(data->zstd);
	buf_done(&data->plain);
	free(data);
}

/* ---- records ---- */

static int take_ordered(void *context, const void *bytes, size_t size, size_t event)
{
	struct perf_data *data = context;
	struct perf_record record;

	if (perf_record_read(bytes, size, &data->events.list.items[event].format, &record) < 0) {
		data->counts.malformed++;
		return 0;
	}
	data->counts.records++;
	return data->visit(data->context, &record, event);
}

/* What perf itself made up of the state at the start has a trailer of zeroes: it comes first. */
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
	size_t event;

	if (data->events.list.count == 0) {
		data->counts.foreign++;
		return 0;
	}
	format = &data->events.list.items[0].format;
	event = perf_data_events_find(&data->events, perf_record_id(bytes, size, format));
	if (event >= data->events.list.count) {
		data->counts.foreign++;
		return 0;
	}
	format = &data->events.list.items[event].format;
	return perf_data_queue_add(data->queue, bytes, size, order_time(bytes, size, type, format),
				   event);
}

static void end_reading(struct perf_data *data, const char *why)
{
	if (!data->damage.text[0])
		err_set(&data->damage, 0, "%s", why);
	data->ended = true;
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
	if (add_attr(data, reader_sub(&body, size), NULL) == 0)
		add_ids(data, body);
}

static void take_update(struct perf_data *data, struct reader body)
{
	uint64_t kind = reader_u64(&body);
	size_t event = perf_data_events_find(&data->events, reader_u64(&body));

	if (kind == UPDATE_NAME && event < data->events.list.count)
		perf_data_events_name(&data->events, event, reader_cstr(&body));
}

static void take_feature(struct perf_data *data, struct reader body)
{
	uint64_t feature = reader_u64(&body);

	if (feature < FEATURE_BITS)
		perf_data_features_read(&data->facts, &data->events, (unsigned)feature, body);
}

/* More follows behind the record than its size says. */
static void skip_payload(struct perf_data *data, uint64_t size, bool inside)
{
	if (inside || !perf_data_input_skip(&data->input, size))
		end_reading(data, "it ends within a trace");
}

static int take_compressed(struct perf_data *data, struct reader body, bool has_size, bool inside);

static int take_user(struct perf_data *data, uint32_t type, struct reader whole, bool inside)
{
	struct reader body = whole;

	reader_bytes(&body, sizeof(struct perf_event_header));
	switch (type) {
	case USER_ATTR:
		take_attr(data, body);
		break;
	case USER_EVENT_TYPE:
		perf_data_features_types(&data->events, body);
		break;
	case USER_TRACING_DATA:
		skip_payload(data, reader_u32(&body), inside);
		break;
	case USER_BUILD_ID:
		perf_data_features_build_id(&data->facts, whole);
		break;
	case USER_FINISHED_ROUND:
		return perf_data_queue_round(data->queue);
	case USER_AUXTRACE:
		skip_payload(data, reader_u64(&body), inside);
		break;
	case USER_EVENT_UPDATE:
		take_update(data, body);
		break;
	case USER_FEATURE:
		take_feature(data, body);
		break;
	case USER_COMPRESSED:
	case USER_COMPRESSED2:
		return take_compressed(data, body, type == USER_COMPRESSED2, inside);
	default:
		break;
	}
	return 0;
}

static int take_record(struct perf_data *data, const void *bytes, size_t size, bool inside)
{
	struct reader whole = reader_of(data, bytes, size), head = whole;
	uint32_t type = reader_u32(&head);

	if (type < USER_TYPES)
		return queue_record(data, bytes, size, type);
	return take_user(data, type, whole, inside);
}

/* The size a record's header tells; 0: it cannot be one. */
static size_t record_size(const struct perf_data *data, const uint8_t *header)
{
	struct reader reader = reader_of(data, header, sizeof(struct perf_event_header));
	uint16_t size;

	reader_u32(&reader);
	reader_u16(&reader);
	size = reader_u16(&reader);
	return size >= sizeof(struct perf_event_header) ? size : 0;
}

/* ---- compressed records ---- */

/* Takes all whole records of what was decompressed; the rest waits for more. */
static int take_plain(void *context, const void *bytes, size_t size)
{
	struct perf_data *data = context;
	size_t at = 0;
	int rc = 0;

	buf_add(&data->plain, bytes, size);
	while (rc == 0 && !data->ended &&
	       data->plain.size - at >= sizeof(struct perf_event_header)) {
		const uint8_t *from = (const uint8_t *)data->plain.bytes + at;
		size_t length = record_size(data, from);

		if (length == 0)
			end_reading(data, "a compressed record is damaged");
		if (length == 0 || length > data->plain.size - at)
			break;
		memcpy(data->record, from, length);
		rc = take_record(data, data->record, length, true);
		at += length;
	}
	if (at < data->plain.size && at > 0)
		memmove(data->plain.bytes, data->plain.bytes + at, data->plain.size - at);
	data->plain.size -= at;
	return rc;
}

static int take_compressed(struct perf_data *data, struct reader body, bool has_size, bool inside)
{
	uint64_t size = has_size ? reader_u64(&body) : reader_left(&body);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct err err = { .text = "" };
	int rc;

	if (inside || body.bad || size > reader_left(&body)) {
		end_reading(data, "a compressed record is damaged");
		return 0;
	}
	if (!data->zstd)
		data->zstd = zstd_stream_new(MOST_RATIO);
	/* The records that come out are put where this one stands. */
	bytes = xmemdup(reader_bytes(&body, size), size);
	rc = zstd_stream_feed(data->zstd, bytes, size, take_plain, data, &err);
	if (rc < 0 && err.text[0]) {
		end_reading(data, err.text);
		rc = 0;
	}
	return rc;
}

/* ---- all of it ---- */

/* One record in the order of the file. */
static int read_record(struct perf_data *data)
{
	struct perf_data_input *input = &data->input;
	const uint8_t *header;
	size_t there = perf_data_input_peek(input, sizeof(struct perf_event_header), &header);
	size_t size;

	if (there == 0 && input->error)
		end_reading(data, strerror(-input->error));
	if (there == 0) {
		data->ended = true;
		return 0;
	}
	size = there == sizeof(struct perf_event_header) ? record_size(data, header) : 0;
	if (size == 0 && there == sizeof(struct perf_event_header))
		end_reading(data, "it is damaged: a record of impossible size");
	else if (size == 0 || !perf_data_input_read(input, data->record, size))
		end_reading(data, "it ends within a record");
	return data->ended ? 0 : take_record(data, data->record, size, false);
}

int perf_data_run(struct perf_data *data, perf_data_visit visit, void *context)
{
	int rc = 0;

	data->visit = visit;
	data->context = context;
	data->queue = perf_data_queue_new(MAX_WAITING_BYTES, take_ordered, data);
	while (rc == 0 && !data->ended)
		rc = read_record(data);
	if (rc == 0)
		rc = perf_data_queue_finish(data->queue);
	data->counts.late = perf_data_queue_late(data->queue);
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
