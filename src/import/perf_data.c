/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/stream.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "import/perf_data_head.h"

enum {
	MAX_RECORD_BYTES = 65536,
	MAX_WAITING_BYTES = 128 * 1024 * 1024, /* records that wait to be sorted */
	MOST_RATIO = 2000,		       /* of decompressed to compressed bytes */
	MAX_PARTS = 4096,		       /* each has a descriptor and a buffer */
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

/* A record that waits. */
struct entry {
	uint64_t time_ns;
	uint64_t order; /* of arrival, for equal times */
	size_t offset;	/* of the record's bytes */
	uint32_t size;
	uint32_t event;
};

/*
 * Sorts the records by time. perf drains the buffers of all CPUs one by one and writes a mark after
 * each round. At a mark no record can still arrive that is older than the youngest one of the round
 * before, so records up to that time are passed on.
 *
 * Memory is bounded: if no marks come, the older half of the waiting records is passed on, and
 * records that arrive too late after that are counted.
 */
struct queue {
	VEC(struct entry) entries;
	struct buf bytes; /* of the records, 8-byte aligned */
	struct buf spare; /* gets the remaining bytes when released ones are dropped */
	uint64_t order;
	uint64_t newest_ns, round_ns; /* the youngest time so far; the same at the last round */
	uint64_t taken_ns, last_ns;
};

/* A file of the recording. There is one, or, if several threads wrote (perf record --threads), a
 * folder where "data" has the head and each "data.N" has more records, compressed separately. */
struct part {
	struct perf_data_input *input; /* of the first part borrowed from the head */
	struct stream_zstd *zstd;
	struct buf plain; /* decompressed but not read yet */
	uint64_t last_ns; /* the youngest record so far; 0: none has a time */
	bool ended;	  /* nothing more can be read */
};

struct perf_data {
	struct perf_data_head head;
	struct queue queue;
	VEC(struct part *) parts; /* the first has the head */
	struct part *part;	  /* the one being read */
	size_t left_out;	  /* parts */
	struct err damage;	  /* the head's, and omitted parts */
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

const struct perf_data_head *perf_data_head(const struct perf_data *data)
{
	return &data->head;
}

/* ---- records in order of time ---- */

/* @bytes: 8-byte aligned. */
static int take_ordered(struct perf_data *data, const void *bytes, size_t size, size_t event)
{
	struct perf_record record;

	if (perf_record_read(bytes, size, &data->head.events.items[event].format, &record) < 0) {
		data->counts.malformed++;
		return 0;
	}
	return data->visit(data->context, &record, event);
}

DEFINE_ORDER(by_time, struct entry, COMPARE(a->time_ns, b->time_ns) ?: COMPARE(a->order, b->order))

/* Drops the first @done entries and their bytes. */
static void compact(struct queue *queue, size_t done)
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
static int release(struct perf_data *data, uint64_t until_ns, size_t most)
{
	struct queue *queue = &data->queue;
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
		rc = take_ordered(data, queue->bytes.bytes + entry->offset, entry->size,
				  entry->event);
	}
	if (done > 0)
		compact(queue, done);
	return rc;
}

/* Adds a copy of a record. @time_ns UINT64_MAX: it has no time, and follows the one added before
 * it. */
static int enqueue(struct perf_data *data, const void *bytes, size_t size, uint64_t time_ns,
		   size_t event)
{
	struct queue *queue = &data->queue;
	static const char padding[8];
	size_t offset = queue->bytes.size;

	if (time_ns == UINT64_MAX)
		time_ns = queue->last_ns;
	queue->last_ns = time_ns;
	if (time_ns && time_ns < queue->taken_ns)
		data->counts.late++;
	if (time_ns > queue->newest_ns)
		queue->newest_ns = time_ns;
	buf_add(&queue->bytes, bytes, size);
	buf_add(&queue->bytes, padding, -size & 7);
	*vec_push(&queue->entries) = (struct entry){ .time_ns = time_ns,
						     .order = queue->order++,
						     .offset = offset,
						     .size = (uint32_t)size,
						     .event = (uint32_t)event };
	if (queue->bytes.size <= MAX_WAITING_BYTES)
		return 0;
	return release(data, UINT64_MAX, queue->entries.count / 2 + 1);
}

static int end_round(struct perf_data *data)
{
	int rc = release(data, data->queue.round_ns, SIZE_MAX);

	data->queue.round_ns = data->queue.newest_ns;
	return rc;
}

/* ---- records in order of the file ---- */

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

	format = &data->head.events.items[0].format;
	event = perf_data_head_find(&data->head, perf_record_id(bytes, size, format));
	/* perf's events for its own use are not declared in the recording. Their records of
	 * mappings and kernel code are valid all the same. */
	if (event >= data->head.events.count && type != PERF_RECORD_SAMPLE)
		event = 0;
	if (event >= data->head.events.count) {
		data->counts.foreign++;
		return 0;
	}
	format = &data->head.events.items[event].format;
	time_ns = order_time(bytes, size, type, format);
	if (time_ns != UINT64_MAX && time_ns > data->part->last_ns)
		data->part->last_ns = time_ns;
	return enqueue(data, bytes, size, time_ns, event);
}

static void tell_damage(struct perf_data *data)
{
	const struct err *damage = &data->head.damage;

	if (data->left_out)
		err_set(&data->damage, 0,
			"%s%s%zu of its files data.N are omitted: only %d are read", damage->text,
			damage->text[0] ? "; " : "", data->left_out, MAX_PARTS);
	else
		data->damage = *damage;
}

static void end_reading(struct perf_data *data, const char *why)
{
	if (!data->head.damage.text[0])
		err_set(&data->head.damage, 0, "%s", why);
	data->part->ended = true;
}

/* The record is followed by bytes that its size does not include. */
static void skip_payload(struct perf_data *data, uint64_t size, bool inside)
{
	if (inside || !perf_data_input_skip(data->part->input, size))
		end_reading(data, "truncated within a trace");
}

static int take_compressed(struct perf_data *data, struct reader body, bool has_size, bool inside);

static int take_user(struct perf_data *data, uint32_t type, struct reader whole, bool inside)
{
	struct perf_data_head *head = &data->head;
	struct reader body = whole;

	reader_bytes(&body, sizeof(struct perf_event_header));
	switch (type) {
	case USER_TRACING_DATA:
		skip_payload(data, reader_u32(&body), inside);
		return 0;
	case USER_AUXTRACE:
		skip_payload(data, reader_u64(&body), inside);
		return 0;
	case USER_FINISHED_ROUND:
		/* a round of one part does not cover the others */
		return data->scanning || data->parts.count > 1 ? 0 : end_round(data);
	case USER_COMPRESSED:
	case USER_COMPRESSED2:
		if (data->scanning)
			return 0;
		return take_compressed(data, body, type == USER_COMPRESSED2, inside);
	default:
		break;
	}
	/* The rest is about the recording itself. A pipe was scanned for it; in a file little of it
	 * is records. */
	if (head->pipe && !data->scanning)
		return 0;
	if (type == USER_ATTR)
		perf_data_head_attr(head, body);
	else if (type == USER_EVENT_TYPE)
		perf_data_head_types(head, body);
	else if (type == USER_BUILD_ID)
		perf_data_head_build_id(head, whole);
	else if (type == USER_EVENT_UPDATE)
		perf_data_head_update(head, body);
	else if (type == USER_FEATURE)
		perf_data_head_feature(head, body);
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
		data->part->zstd = stream_zstd_new(MOST_RATIO);
	/* The decompressed records may overwrite this one. */
	bytes = xmemdup(reader_bytes(&body, size), size);
	rc = stream_zstd_feed(data->part->zstd, bytes, size, take_plain, data, &err);
	if (rc < 0 && err.text[0]) {
		end_reading(data, err.text);
		rc = 0;
	}
	return rc;
}

/* ---- files ---- */

static const char PREFIX[] = "data.";

enum { PREFIX_LENGTH = sizeof(PREFIX) - 1, MOST_DIGITS = 9 };

/* The name of a file "data.N", which may have leading zeroes. */
struct name {
	unsigned number;
	char text[PREFIX_LENGTH + MOST_DIGITS + 1];
};

static struct part *add_part(struct perf_data *data, struct perf_data_input *input)
{
	struct part *part = xcalloc(1, sizeof(*part));

	part->input = input;
	*vec_push(&data->parts) = part;
	return part;
}

/* Opens the folder once more, so that @folder's own position stays. NULL and errno on failure. */
static DIR *open_dir(int folder)
{
	_cleanup_close_ int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (dir)
		steal_fd(fd);
	return dir;
}

/* True if the name is "data.N". */
static bool read_name(const char *text, struct name *ret_name)
{
	const char *digits = text + PREFIX_LENGTH;
	size_t length;

	if (strncmp(text, PREFIX, PREFIX_LENGTH) != 0)
		return false;
	length = strspn(digits, "0123456789");
	if (length == 0 || length > MOST_DIGITS || digits[length])
		return false;
	ret_name->number = (unsigned)strtoul(digits, NULL, 10);
	memcpy(ret_name->text, text, PREFIX_LENGTH + length + 1);
	return true;
}

DEFINE_ORDER(by_number, struct name, COMPARE(a->number, b->number) ?: strcmp(a->text, b->text))

static int open_part(struct perf_data *data, int folder, const char *name, struct err *err)
{
	struct perf_data_input *input;
	int fd;

	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open: %s", name, strerror(errno));
	input = xcalloc(1, sizeof(*input));
	perf_data_input_begin(input, fd);
	add_part(data, input);
	if (!input->seekable)
		return err_set(err, -EINVAL, "%s: not a regular file", name);
	return 0;
}

int perf_data_add_folder(struct perf_data *data, int folder, struct err *err)
{
	_cleanup_closedir_ DIR *dir = open_dir(folder);
	VEC(struct name) names = { NULL, 0, 0 };
	const struct dirent *entry;
	struct name name;
	size_t count;
	int rc = 0;

	if (!dir)
		return err_set(err, -errno, "cannot be read: %s", strerror(errno));
	while ((entry = readdir(dir))) {
		if (read_name(entry->d_name, &name))
			*vec_push(&names) = name;
	}
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), by_number);
	count = names.count < MAX_PARTS ? names.count : MAX_PARTS;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = open_part(data, folder, names.items[i].text, err);
	data->left_out = names.count - count;
	vec_free(&names);
	tell_damage(data);
	return rc;
}

/* The part to read next, so that all are read in step; NULL: all have ended. */
static struct part *next_part(const struct perf_data *data)
{
	struct part *next = NULL;

	for (size_t i = 0; i < data->parts.count; i++) {
		struct part *part = data->parts.items[i];

		if (!part->ended && (!next || part->last_ns < next->last_ns))
			next = part;
	}
	return next;
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
	return data->head.events.count ? 0 : err_set(err, -EINVAL, "it has no events");
}

int perf_data_open(struct perf_data_input *input, struct perf_data **ret_data, struct err *err)
{
	_cleanup_(perf_data_freep) struct perf_data *data = xcalloc(1, sizeof(*data));
	int rc;

	data->head.input = *input;
	data->part = add_part(data, &data->head.input);
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

void perf_data_free(struct perf_data *data)
{
	if (!data)
		return;
	for (size_t i = 0; i < data->parts.count; i++) {
		struct part *part = data->parts.items[i];

		stream_zstd_free(part->zstd);
		buf_done(&part->plain);
		if (i > 0) {
			perf_data_input_done(part->input);
			free(part->input);
		}
		free(part);
	}
	vec_free(&data->parts);
	perf_data_head_done(&data->head);
	vec_free(&data->queue.entries);
	buf_done(&data->queue.bytes);
	buf_done(&data->queue.spare);
	free(data);
}

int perf_data_run(struct perf_data *data, perf_data_visit visit, void *context)
{
	int rc = 0;

	data->visit = visit;
	data->context = context;
	while (rc == 0 && (data->part = next_part(data)))
		rc = read_record(data);
	if (rc == 0)
		rc = release(data, UINT64_MAX, SIZE_MAX);
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
