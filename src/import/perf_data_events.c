/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "perf/event_names.h"

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

struct perf_event_attr perf_data_events_attr(struct reader reader)
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

bool perf_data_events_add(struct perf_data_events *events, const struct perf_event_attr *attr)
{
	struct perf_data_event *event;
	char name[EVENT_NAME_MAX];

	if (events->list.count >= PERF_DATA_MAX_EVENTS)
		return false;
	event_names_of(attr->type, attr->config, name, sizeof(name));
	event = vec_push(&events->list);
	*event = (struct perf_data_event){ .attr = *attr,
					   .format = perf_format_of(attr),
					   .name = xstrdup(name) };
	event->format.swap_room = events->swap_room;
	return true;
}

static bool is_id(const void *owner, uint32_t index, const void *key)
{
	return ((const struct perf_data_events *)owner)->ids.items[index].id ==
	       *(const uint64_t *)key;
}

bool perf_data_events_add_id(struct perf_data_events *events, uint64_t id, size_t event)
{
	uint32_t index;

	if (id == 0 || hashidx_find(&events->index, hash_u64(id), is_id, events, &id, &index))
		return true;
	if (events->ids.count >= PERF_DATA_MAX_IDS)
		return false;
	hashidx_add(&events->index, hash_u64(id), (uint32_t)events->ids.count);
	*vec_push(&events->ids) = (struct perf_data_id){ id, (uint32_t)event };
	return true;
}

size_t perf_data_events_find(const struct perf_data_events *events, uint64_t id)
{
	uint32_t index;

	if (id == 0 || events->list.count == 1)
		return 0;
	if (!hashidx_find(&events->index, hash_u64(id), is_id, events, &id, &index))
		return events->list.count;
	return events->ids.items[index].event;
}

void perf_data_events_name(struct perf_data_events *events, size_t event, const char *name)
{
	struct perf_data_event *named = &events->list.items[event];

	if (!*name)
		return;
	free(named->name);
	named->name = xstrdup(name);
	named->named = true;
}

void perf_data_events_done(struct perf_data_events *events)
{
	for (size_t i = 0; i < events->list.count; i++)
		free(events->list.items[i].name);
	vec_free(&events->list);
	vec_free(&events->ids);
	hashidx_done(&events->index);
}
