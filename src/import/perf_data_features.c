/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data_features.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"

enum {
	MISC_BUILD_ID_SIZE = 1 << 15,
	BUILD_ID_FIELD = 24, /* 20 bytes, one for their number, 3 reserved */
	BUILD_ID_SIZE_AT = 20,
	MAX_WORDS = 65536, /* of a command line */
	TYPE_NAME_BYTES = 64,
};

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

static void read_hostname(struct perf_data_facts *facts, struct perf_data_events *events,
			  struct reader content)
{
	set_text(&facts->hostname, read_string(&content));
}

static void read_os_release(struct perf_data_facts *facts, struct perf_data_events *events,
			    struct reader content)
{
	set_text(&facts->os_release, read_string(&content));
}

static void read_version(struct perf_data_facts *facts, struct perf_data_events *events,
			 struct reader content)
{
	set_text(&facts->perf_version, read_string(&content));
}

static void read_arch(struct perf_data_facts *facts, struct perf_data_events *events,
		      struct reader content)
{
	set_text(&facts->machine, read_string(&content));
}

static void read_cpus(struct perf_data_facts *facts, struct perf_data_events *events,
		      struct reader content)
{
	reader_u32(&content); /* available */
	facts->cpus = reader_u32(&content);
}

static void read_command(struct perf_data_facts *facts, struct perf_data_events *events,
			 struct reader content)
{
	uint32_t count = reader_u32(&content);
	struct buf text = { 0 };

	for (uint32_t i = 0; i < count && i < MAX_WORDS && !content.bad; i++) {
		if (i)
			buf_add_char(&text, ' ');
		buf_add_str(&text, read_string(&content));
	}
	set_text(&facts->command, buf_text(&text));
	buf_done(&text);
}

static void read_sample_time(struct perf_data_facts *facts, struct perf_data_events *events,
			     struct reader content)
{
	facts->first_ns = reader_u64(&content);
	facts->last_ns = reader_u64(&content);
}

static void read_clock_data(struct perf_data_facts *facts, struct perf_data_events *events,
			    struct reader content)
{
	uint64_t realtime_ns, at_ns;

	reader_u32(&content); /* version */
	reader_u32(&content); /* which clock */
	realtime_ns = reader_u64(&content);
	at_ns = reader_u64(&content);
	if (content.bad)
		return;
	facts->realtime_ns = realtime_ns;
	facts->at_ns = at_ns;
}

static void read_build_ids(struct perf_data_facts *facts, struct perf_data_events *events,
			   struct reader content)
{
	while (reader_left(&content) > sizeof(struct perf_event_header)) {
		struct reader header = content;
		uint16_t size;

		reader_u32(&header);
		reader_u16(&header);
		size = reader_u16(&header);
		if (size <= sizeof(struct perf_event_header))
			return;
		perf_data_features_build_id(facts, reader_sub(&content, size));
	}
}

/* The event of a description: by the first of its ids, or without ids by its place in the list. */
static size_t described_event(const struct perf_data_events *events, struct reader ids,
			      uint32_t place)
{
	size_t event = events->list.count;

	if (reader_left(&ids) >= sizeof(uint64_t) && events->ids.count > 0)
		event = perf_data_events_find(events, reader_u64(&ids));
	return event < events->list.count ? event : place;
}

static void read_descriptions(struct perf_data_facts *facts, struct perf_data_events *events,
			      struct reader content)
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
		event = described_event(events, reader_sub(&content, ids * sizeof(uint64_t)), i);
		if (!content.bad && event < events->list.count)
			perf_data_events_name(events, event, name);
	}
}

static const struct {
	unsigned feature;
	void (*read)(struct perf_data_facts *, struct perf_data_events *, struct reader);
} ways[] = {
	{ 2, read_build_ids },	   /* HEADER_BUILD_ID */
	{ 3, read_hostname },	   /* HEADER_HOSTNAME */
	{ 4, read_os_release },	   /* HEADER_OSRELEASE */
	{ 5, read_version },	   /* HEADER_VERSION */
	{ 6, read_arch },	   /* HEADER_ARCH */
	{ 7, read_cpus },	   /* HEADER_NRCPUS */
	{ 11, read_command },	   /* HEADER_CMDLINE */
	{ 12, read_descriptions }, /* HEADER_EVENT_DESC */
	{ 21, read_sample_time },  /* HEADER_SAMPLE_TIME */
	{ 29, read_clock_data },   /* HEADER_CLOCK_DATA */
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

bool perf_data_features_known(unsigned feature)
{
	for (size_t i = 0; i < WAYS; i++) {
		if (ways[i].feature == feature)
			return true;
	}
	return false;
}

void perf_data_features_read(struct perf_data_facts *facts, struct perf_data_events *events,
			     unsigned feature, struct reader content)
{
	for (size_t i = 0; i < WAYS; i++) {
		if (ways[i].feature == feature)
			ways[i].read(facts, events, content);
	}
}

void perf_data_features_build_id(struct perf_data_facts *facts, struct reader record)
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
	if (record.bad || !*path || facts->build_ids.count >= PERF_DATA_MAX_BUILD_IDS)
		return;
	build_id.size = BUILD_ID_MAX;
	if (misc & MISC_BUILD_ID_SIZE && bytes[BUILD_ID_SIZE_AT] <= BUILD_ID_MAX)
		build_id.size = bytes[BUILD_ID_SIZE_AT];
	memcpy(build_id.bytes, bytes, build_id.size);
	build_id.cpu_mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	build_id.path = xstrdup(path);
	*vec_push(&facts->build_ids) = build_id;
}

void perf_data_features_types(struct perf_data_events *events, struct reader table)
{
	while (reader_left(&table) >= sizeof(uint64_t) + TYPE_NAME_BYTES) {
		uint64_t config = reader_u64(&table);
		struct reader name = reader_sub(&table, TYPE_NAME_BYTES);
		const char *text = reader_cstr(&name);

		for (size_t i = 0; !name.bad && i < events->list.count; i++) {
			struct perf_data_event *event = &events->list.items[i];

			if (event->attr.config == config && !event->named)
				perf_data_events_name(events, i, text);
		}
	}
}

void perf_data_features_done(struct perf_data_facts *facts)
{
	free(facts->hostname);
	free(facts->os_release);
	free(facts->perf_version);
	free(facts->machine);
	free(facts->command);
	for (size_t i = 0; i < facts->build_ids.count; i++)
		free(facts->build_ids.items[i].path);
	vec_free(&facts->build_ids);
}
