/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data_head.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "import/perf_data.h"
#include "perf/event_names.h"

enum {
	MIN_ATTR = 64, /* PERF_ATTR_SIZE_VER0 */
	MAX_ATTR = 4096,
	FEATURES = 256, /* bits for them in the head of a file */
	FILE_HEAD_BYTES = 104,
	SECTION_BYTES = 16,
	MAX_FEATURE_BYTES = 64 * 1024 * 1024, /* of one feature */
	MAX_ATTRS_BYTES = PERF_DATA_MAX_EVENTS * (MAX_ATTR + SECTION_BYTES),
	MAX_IDS_BYTES = 8 * PERF_DATA_MAX_IDS,
	MAX_TYPES_BYTES = 1024 * 1024,
	MISC_BUILD_ID_SIZE = 1 << 15,
	BUILD_ID_FIELD = 24, /* 20 bytes, one for their number, 3 reserved */
	BUILD_ID_SIZE_AT = 20,
	MAX_WORDS = 65536, /* of a command line */
	TYPE_NAME_BYTES = 64,
};

/* The type of PERF_RECORD_EVENT_UPDATE that has a name. */
enum { UPDATE_NAME = 2 };

struct reader perf_data_head_reader(const struct perf_data_head *head, const void *bytes,
				    size_t size)
{
	struct reader reader = reader_make(bytes, size);

	reader.swap = head->swap;
	return reader;
}

/* ---- events ---- */

/* Bit fields fill a word from its lowest bit on little-endian machines and from its highest on
 * others. Bytes keep their places, so the bits within each byte are reversed. */
static uint64_t read_flags(struct reader *reader)
{
	uint64_t flags = 0;
	uint8_t bytes[sizeof(flags)] = { 0 };
	const uint8_t *from = reader_bytes(reader, sizeof(flags));

	for (size_t i = 0; from && i < sizeof(flags); i++) {
		for (int bit = 0; bit < 8; bit++)
			bytes[i] |=
				(uint8_t)((from[i] >> bit & 1) << (reader->swap ? 7 - bit : bit));
	}
	memcpy(&flags, bytes, sizeof(flags));
	return flags;
}

/* Reads a perf_event_attr from all bytes of @reader. */
static struct perf_event_attr read_attr(struct reader reader)
{
	struct perf_event_attr attr = { 0 };
	const size_t flags_at = offsetof(struct perf_event_attr, read_format) + 8;
	uint64_t flags;

	attr.type = reader_u32(&reader);
	attr.size = reader_u32(&reader);
	attr.config = reader_u64(&reader);
	attr.sample_period = reader_u64(&reader);
	attr.sample_type = reader_u64(&reader);
	attr.read_format = reader_u64(&reader);
	flags = read_flags(&reader);
	memcpy((char *)&attr + flags_at, &flags, sizeof(flags));
	attr.wakeup_events = reader_u32(&reader);
	attr.bp_type = reader_u32(&reader);
	attr.config1 = reader_u64(&reader);
	attr.config2 = reader_u64(&reader);
	attr.branch_sample_type = reader_u64(&reader);
	attr.sample_regs_user = reader_u64(&reader);
	attr.sample_stack_user = reader_u32(&reader);
	attr.clockid = (int32_t)reader_u32(&reader);
	attr.sample_regs_intr = reader_u64(&reader);
	return attr;
}

static bool add_event(struct perf_data_head *head, const struct perf_event_attr *attr)
{
	struct perf_data_event *event;
	char name[EVENT_NAME_MAX];

	if (head->events.count >= PERF_DATA_MAX_EVENTS)
		return false;
	event_names_of(attr->type, attr->config, name, sizeof(name));
	event = vec_push(&head->events);
	*event = (struct perf_data_event){ .attr = *attr,
					   .format = perf_format_of(attr),
					   .name = xstrdup(name) };
	event->format.swap_room = head->swap ? head->swap_room : NULL;
	return true;
}

DEFINE_EQUAL(is_id, struct perf_data_head, ids.items, uint64_t, a->id == *b)

/* Adds ids of the last event. An id belongs to the first event that has it. */
static void add_ids(struct perf_data_head *head, struct reader ids)
{
	uint32_t index, event = (uint32_t)head->events.count - 1;

	while (reader_left(&ids) >= sizeof(uint64_t) && head->ids.count < PERF_DATA_MAX_IDS) {
		uint64_t id = reader_u64(&ids);

		if (id == 0 || hashidx_find(&head->index, hash_u64(id), is_id, head, &id, &index))
			continue;
		hashidx_add(&head->index, hash_u64(id), (uint32_t)head->ids.count);
		*vec_push(&head->ids) = (struct perf_data_id){ id, event };
	}
}

size_t perf_data_head_find(const struct perf_data_head *head, uint64_t id)
{
	uint32_t index;

	if (id == 0 || head->events.count == 1)
		return 0;
	if (!hashidx_find(&head->index, hash_u64(id), is_id, head, &id, &index))
		return head->events.count;
	return head->ids.items[index].event;
}

/* Ignores an empty name. */
static void name_event(struct perf_data_head *head, size_t event, const char *name)
{
	struct perf_data_event *named = &head->events.items[event];

	if (!*name)
		return;
	free(named->name);
	named->name = xstrdup(name);
	named->named = true;
}

void perf_data_head_attr(struct perf_data_head *head, struct reader body)
{
	struct reader start = body;
	struct perf_event_attr attr;
	uint32_t size;

	reader_u32(&start);
	size = reader_u32(&start);
	if (size < MIN_ATTR)
		size = MIN_ATTR;
	if (size > reader_left(&body))
		return;
	attr = read_attr(reader_sub(&body, size));
	if (add_event(head, &attr))
		add_ids(head, body);
}

void perf_data_head_update(struct perf_data_head *head, struct reader body)
{
	uint64_t kind = reader_u64(&body);
	size_t event = perf_data_head_find(head, reader_u64(&body));

	if (kind == UPDATE_NAME && event < head->events.count)
		name_event(head, event, reader_cstr(&body));
}

void perf_data_head_types(struct perf_data_head *head, struct reader table)
{
	while (reader_left(&table) >= sizeof(uint64_t) + TYPE_NAME_BYTES) {
		uint64_t config = reader_u64(&table);
		struct reader name = reader_sub(&table, TYPE_NAME_BYTES);
		const char *text = reader_cstr(&name);

		for (size_t i = 0; !name.bad && i < head->events.count; i++) {
			struct perf_data_event *event = &head->events.items[i];

			if (event->attr.config == config && !event->named)
				name_event(head, i, text);
		}
	}
}

/* ---- features ---- */

static void set_text(char **text, const char *value)
{
	if (!*value)
		return;
	free(*text);
	*text = xstrdup(value);
}

/* A length, and that many bytes with a NUL among them. "" if damaged. */
static const char *read_string(struct reader *reader)
{
	uint32_t size = reader_u32(reader);
	struct reader bytes = reader_sub(reader, size);

	return reader_cstr(&bytes);
}

static void read_cpus(struct perf_data_head *head, struct reader content)
{
	reader_u32(&content); /* available */
	head->facts.cpus = reader_u32(&content);
}

static void read_command(struct perf_data_head *head, struct reader content)
{
	uint32_t count = reader_u32(&content);
	struct buf text = { 0 };

	for (uint32_t i = 0; i < count && i < MAX_WORDS && !content.bad; i++) {
		if (i)
			buf_add_char(&text, ' ');
		buf_add_str(&text, read_string(&content));
	}
	set_text(&head->facts.command, buf_text(&text));
	buf_done(&text);
}

static void read_clock_data(struct perf_data_head *head, struct reader content)
{
	uint64_t realtime_ns, at_ns;

	reader_u32(&content); /* version */
	reader_u32(&content); /* which clock */
	realtime_ns = reader_u64(&content);
	at_ns = reader_u64(&content);
	if (content.bad)
		return;
	head->facts.realtime_ns = realtime_ns;
	head->facts.at_ns = at_ns;
}

static void read_build_ids(struct perf_data_head *head, struct reader content)
{
	while (reader_left(&content) > sizeof(struct perf_event_header)) {
		struct reader header = content;
		uint16_t size;

		reader_u32(&header);
		reader_u16(&header);
		size = reader_u16(&header);
		if (size <= sizeof(struct perf_event_header))
			return;
		perf_data_head_build_id(head, reader_sub(&content, size));
	}
}

/* The event of a description: by the first of its ids, or without ids by its place in the list. */
static size_t described_event(const struct perf_data_head *head, struct reader ids, uint32_t place)
{
	size_t event = head->events.count;

	if (reader_left(&ids) >= sizeof(uint64_t) && head->ids.count > 0)
		event = perf_data_head_find(head, reader_u64(&ids));
	return event < head->events.count ? event : place;
}

static void read_descriptions(struct perf_data_head *head, struct reader content)
{
	uint32_t count = reader_u32(&content);
	uint32_t attr_size = reader_u32(&content);

	for (uint32_t i = 0; i < count && !content.bad; i++) {
		const char *name;
		uint64_t ids;
		size_t event;

		reader_bytes(&content, attr_size);
		ids = reader_u32(&content);
		name = read_string(&content);
		event = described_event(head, reader_sub(&content, ids * sizeof(uint64_t)), i);
		if (!content.bad && event < head->events.count)
			name_event(head, event, name);
	}
}

/* The features that are read. */
static const struct feature {
	unsigned number;
	void (*read)(struct perf_data_head *head, struct reader content); /* NULL: one text: */
	size_t text; /* its place in the facts */
} features[] = {
	{ 2, .read = read_build_ids },				       /* HEADER_BUILD_ID */
	{ 3, .text = offsetof(struct perf_data_facts, hostname) },     /* HEADER_HOSTNAME */
	{ 4, .text = offsetof(struct perf_data_facts, os_release) },   /* HEADER_OSRELEASE */
	{ 5, .text = offsetof(struct perf_data_facts, perf_version) }, /* HEADER_VERSION */
	{ 6, .text = offsetof(struct perf_data_facts, machine) },      /* HEADER_ARCH */
	{ 7, .read = read_cpus },				       /* HEADER_NRCPUS */
	{ 11, .read = read_command },				       /* HEADER_CMDLINE */
	{ 12, .read = read_descriptions },			       /* HEADER_EVENT_DESC */
	{ 29, .read = read_clock_data },			       /* HEADER_CLOCK_DATA */
};

/* NULL: nothing is taken from this feature. */
static const struct feature *find_feature(uint64_t number)
{
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		if (features[i].number == number)
			return &features[i];
	}
	return NULL;
}

static void read_feature(struct perf_data_head *head, const struct feature *feature,
			 struct reader content)
{
	if (feature->read)
		feature->read(head, content);
	else
		set_text((char **)((char *)&head->facts + feature->text), read_string(&content));
}

void perf_data_head_feature(struct perf_data_head *head, struct reader body)
{
	const struct feature *feature = find_feature(reader_u64(&body));

	if (feature)
		read_feature(head, feature, body);
}

void perf_data_head_build_id(struct perf_data_head *head, struct reader record)
{
	struct perf_data_build_id build_id = { 0 };
	const uint8_t *bytes;
	const char *path;
	uint16_t misc;

	reader_u32(&record); /* type: not set in feature sections */
	misc = reader_u16(&record);
	reader_u16(&record);
	reader_u32(&record); /* pid: -1, or of a guest */
	bytes = reader_bytes(&record, BUILD_ID_FIELD);
	path = reader_cstr(&record);
	if (record.bad || !*path || head->facts.build_ids.count >= PERF_DATA_MAX_BUILD_IDS)
		return;
	build_id.size = BUILD_ID_MAX;
	if (misc & MISC_BUILD_ID_SIZE && bytes[BUILD_ID_SIZE_AT] <= BUILD_ID_MAX)
		build_id.size = bytes[BUILD_ID_SIZE_AT];
	memcpy(build_id.bytes, bytes, build_id.size);
	build_id.cpu_mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	build_id.path = xstrdup(path);
	*vec_push(&head->facts.build_ids) = build_id;
}

/* ---- a file ---- */

struct section {
	uint64_t offset, size;
};

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

/* Each entry is an attribute, in the size of that perf, and where its ids are. */
static int read_attrs(struct perf_data_head *head, struct section attrs, uint64_t entry_size,
		      struct err *err)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader entries;

	if (entry_size < MIN_ATTR + SECTION_BYTES || entry_size > MAX_ATTR)
		return err_set(err, -EBADMSG,
			       "corrupt file header: attributes of %" PRIu64 " bytes", entry_size);
	bytes = load(head, attrs, MAX_ATTRS_BYTES);
	if (!bytes)
		return err_set(err, -EBADMSG, "truncated before the list of events");
	entries = perf_data_head_reader(head, bytes, attrs.size);
	while (reader_left(&entries) >= entry_size) {
		struct perf_event_attr attr =
			read_attr(reader_sub(&entries, entry_size - SECTION_BYTES));
		struct section at = read_section(&entries);
		_cleanup_free_ uint8_t *ids = load(head, at, MAX_IDS_BYTES);

		if (!add_event(head, &attr))
			return err_set(err, -EBADMSG, "more than %d events", PERF_DATA_MAX_EVENTS);
		if (ids)
			add_ids(head, perf_data_head_reader(head, ids, at.size));
	}
	return 0;
}

static void read_types(struct perf_data_head *head, struct section types)
{
	_cleanup_free_ uint8_t *bytes = load(head, types, MAX_TYPES_BYTES);

	if (bytes)
		perf_data_head_types(head, perf_data_head_reader(head, bytes, types.size));
}

/* After the records come the places of the features, in ascending order of their numbers. They are
 * missing if perf was killed. */
static void read_features(struct perf_data_head *head, const struct section *records,
			  const uint64_t *present)
{
	uint64_t at = records->offset + records->size;

	for (unsigned i = 0; i < FEATURES; i++) {
		uint8_t entry[SECTION_BYTES];
		_cleanup_free_ uint8_t *bytes = NULL;
		const struct feature *feature = find_feature(i);
		struct section section;
		struct reader reader;

		if (!(present[i / 64] >> i % 64 & 1))
			continue;
		if (perf_data_input_at(&head->input, at, entry, sizeof(entry)) != sizeof(entry))
			return;
		at += sizeof(entry);
		reader = perf_data_head_reader(head, entry, sizeof(entry));
		section = read_section(&reader);
		if (feature)
			bytes = load(head, section, MAX_FEATURE_BYTES);
		if (bytes)
			read_feature(head, feature,
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
	uint64_t present[FEATURES / 64];
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
	for (size_t i = 0; i < FEATURES / 64; i++)
		present[i] = reader_u64(&reader);
	rc = read_attrs(head, attrs, entry_size, err);
	if (rc < 0)
		return rc;
	if (head->events.count == 0)
		return err_set(err, -EINVAL, "it has no events");
	read_types(head, types);
	settle_records(head, &records);
	read_features(head, &records, present);
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
	return 0;
}

void perf_data_head_done(struct perf_data_head *head)
{
	perf_data_input_done(&head->input);
	for (size_t i = 0; i < head->events.count; i++)
		free(head->events.items[i].name);
	vec_free(&head->events);
	vec_free(&head->ids);
	hashidx_done(&head->index);
	free(head->facts.hostname);
	free(head->facts.os_release);
	free(head->facts.perf_version);
	free(head->facts.machine);
	free(head->facts.command);
	for (size_t i = 0; i < head->facts.build_ids.count; i++)
		free(head->facts.build_ids.items[i].path);
	vec_free(&head->facts.build_ids);
}
