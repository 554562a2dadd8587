/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data_head.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "import/perf_data.h"

enum {
	FILE_HEAD_BYTES = 104,
	SECTION_BYTES = 16,
	MAX_FEATURE_BYTES = 64 * 1024 * 1024, /* of one feature */
	MAX_ATTRS_BYTES = PERF_DATA_MAX_EVENTS * (PERF_DATA_MAX_ATTR + SECTION_BYTES),
	MAX_IDS_BYTES = 8 * PERF_DATA_MAX_IDS,
	MAX_TYPES_BYTES = 1024 * 1024,
};

struct section {
	uint64_t offset, size;
};

struct reader perf_data_head_reader(const struct perf_data_head *head, const void *bytes,
				    size_t size)
{
	struct reader reader = reader_make(bytes, size);

	reader.swap = head->swap;
	return reader;
}

static struct section read_section(struct reader *reader)
{
	struct section section;

	section.offset = reader_u64(reader);
	section.size = reader_u64(reader);
	return section;
}

/* The bytes of a section, which the caller frees; NULL: missing, or more than @most. */
static uint8_t *load(struct perf_data_head *head, struct section section, size_t most)
{
	_cleanup_free_ uint8_t *bytes = NULL;

	if (section.size > most || section.offset > head->input.size ||
	    section.size > head->input.size - section.offset)
		return NULL;
	bytes = xmalloc(section.size + 1);
	if (perf_data_input_at(&head->input, section.offset, bytes, section.size) != section.size)
		return NULL;
	return steal_ptr(bytes);
}

int perf_data_head_attr(struct perf_data_head *head, struct reader attr, struct err *err)
{
	struct perf_event_attr parsed = perf_data_events_attr(attr);

	if (!perf_data_events_add(&head->events, &parsed))
		return err_set(err, -EBADMSG, "more than %d events", PERF_DATA_MAX_EVENTS);
	return 0;
}

void perf_data_head_ids(struct perf_data_head *head, struct reader ids)
{
	while (reader_left(&ids) >= sizeof(uint64_t)) {
		if (!perf_data_events_add_id(&head->events, reader_u64(&ids),
					     head->events.list.count - 1))
			return;
	}
}

/* Each entry is an attribute, in the size of that perf, and where its ids are. */
static int read_attrs(struct perf_data_head *head, struct section attrs, uint64_t entry_size,
		      struct err *err)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader entries;
	int rc = 0;

	if (entry_size < PERF_DATA_MIN_ATTR + SECTION_BYTES || entry_size > PERF_DATA_MAX_ATTR)
		return err_set(err, -EBADMSG,
			       "corrupt file header: attributes of %" PRIu64 " bytes", entry_size);
	bytes = load(head, attrs, MAX_ATTRS_BYTES);
	if (!bytes)
		return err_set(err, -EBADMSG, "truncated before the list of events");
	entries = perf_data_head_reader(head, bytes, attrs.size);
	while (rc == 0 && reader_left(&entries) >= entry_size) {
		struct reader attr = reader_sub(&entries, entry_size - SECTION_BYTES);
		struct section at = read_section(&entries);
		_cleanup_free_ uint8_t *ids = load(head, at, MAX_IDS_BYTES);

		rc = perf_data_head_attr(head, attr, err);
		if (rc == 0 && ids)
			perf_data_head_ids(head, perf_data_head_reader(head, ids, at.size));
	}
	return rc;
}

static void read_types(struct perf_data_head *head, struct section types)
{
	_cleanup_free_ uint8_t *bytes = load(head, types, MAX_TYPES_BYTES);

	if (bytes)
		perf_data_features_types(&head->events,
					 perf_data_head_reader(head, bytes, types.size));
}

/* After the records come the places of the features, in ascending order of their numbers. They are
 * missing if perf was killed. */
static void read_features(struct perf_data_head *head, const struct section *records,
			  const uint64_t *features)
{
	uint64_t at = records->offset + records->size;

	for (unsigned i = 0; i < PERF_DATA_FEATURES; i++) {
		uint8_t entry[SECTION_BYTES];
		_cleanup_free_ uint8_t *bytes = NULL;
		struct section section;
		struct reader reader;

		if (!(features[i / 64] >> i % 64 & 1))
			continue;
		if (perf_data_input_at(&head->input, at, entry, sizeof(entry)) != sizeof(entry))
			return;
		at += sizeof(entry);
		reader = perf_data_head_reader(head, entry, sizeof(entry));
		section = read_section(&reader);
		if (perf_data_features_known(i))
			bytes = load(head, section, MAX_FEATURE_BYTES);
		if (bytes)
			perf_data_features_read(&head->facts, &head->events, i,
						perf_data_head_reader(head, bytes, section.size));
	}
}

/* perf fills in the size of the records at its end. */
static void settle_records(struct perf_data_head *head, struct section *records)
{
	uint64_t file_size = head->input.size;
	uint64_t there = file_size > records->offset ? file_size - records->offset : 0;

	if (records->size == 0) {
		records->size = there;
		if (there)
			err_set(&head->damage, 0, "perf was killed while it recorded");
	} else if (records->size > there) {
		err_set(&head->damage, 0, "%" PRIu64 " of %" PRIu64 " bytes of records are missing",
			records->size - there, records->size);
		records->size = there;
	}
}

int perf_data_head_file(struct perf_data_head *head, struct err *err)
{
	uint64_t features[PERF_DATA_FEATURES / 64];
	uint8_t bytes[FILE_HEAD_BYTES];
	struct reader reader;
	struct section attrs, records, types;
	uint64_t entry_size;
	int rc;

	if (perf_data_input_at(&head->input, 0, bytes, sizeof(bytes)) != sizeof(bytes))
		return err_set(err, -EBADMSG, "truncated within the file header");
	reader = perf_data_head_reader(head, bytes, sizeof(bytes));
	reader_bytes(&reader, PERF_DATA_MAGIC_BYTES);
	reader_u64(&reader); /* size of the head */
	entry_size = reader_u64(&reader);
	attrs = read_section(&reader);
	records = read_section(&reader);
	types = read_section(&reader);
	for (size_t i = 0; i < PERF_DATA_FEATURES / 64; i++)
		features[i] = reader_u64(&reader);
	rc = read_attrs(head, attrs, entry_size, err);
	if (rc < 0)
		return rc;
	if (head->events.list.count == 0)
		return err_set(err, -EINVAL, "it has no events");
	read_types(head, types);
	settle_records(head, &records);
	read_features(head, &records, features);
	perf_data_input_seek(&head->input, records.offset, records.offset + records.size);
	return 0;
}

int perf_data_head_magic(struct perf_data_head *head, struct err *err)
{
	const uint8_t *bytes;
	size_t there = perf_data_input_peek(&head->input, PERF_DATA_PIPE_HEAD_BYTES, &bytes);
	struct reader size;
	uint64_t head_size;

	if (head->input.error)
		return err_set(err, head->input.error, "cannot be read: %s",
			       strerror(-head->input.error));
	if (!perf_data_is(bytes, there) || there < PERF_DATA_PIPE_HEAD_BYTES)
		return err_set(err, -EINVAL, "not a recording of perf");
	size = reader_make(bytes + PERF_DATA_MAGIC_BYTES, sizeof(head_size));
	head_size = reader_u64(&size);
	/* The first magic reads the same in both byte orders; the size decides. */
	head->swap = head_size >> 32 != 0;
	if (head->swap)
		head_size = __builtin_bswap64(head_size);
	head->pipe = head_size == PERF_DATA_PIPE_HEAD_BYTES;
	if (!head->pipe && head_size < FILE_HEAD_BYTES)
		return err_set(err, -EBADMSG, "corrupt file header: %" PRIu64 " bytes long",
			       head_size);
	if (head->swap)
		head->events.swap_room = head->swap_room;
	return 0;
}

void perf_data_head_done(struct perf_data_head *head)
{
	perf_data_input_done(&head->input);
	perf_data_events_done(&head->events);
	perf_data_features_done(&head->facts);
}
