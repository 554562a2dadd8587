/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_record.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/reader.h"

/* The trailer of every record that is not a sample, in the order the kernel writes the fields of
 * PERF_RECORD_SAMPLE_TYPE that it repeats there. */
struct trailer {
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

_Static_assert(sizeof(struct trailer) == 32, "perf_event_open(2): struct sample_id");

enum {
	MMAP2_MISC_BUILD_ID = 1 << 14, /* PERF_RECORD_MISC_MMAP_BUILD_ID */
	KSYMBOL_UNREGISTER = 1 << 0,   /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
	SAMPLE_TIME_OFFSET = 32,       /* behind header, identifier, ip, pid and tid */
};

static int32_t read_s32(struct reader *reader)
{
	return (int32_t)reader_u32(reader);
}

static void read_sample(struct reader *body, struct perf_record *record)
{
	struct perf_sample *sample = &record->sample;

	record->id = reader_u64(body);
	sample->ip = reader_u64(body);
	record->pid = read_s32(body);
	record->tid = read_s32(body);
	record->time_ns = reader_u64(body);
	record->cpu = reader_u32(body);
	reader_u32(body); /* reserved */
	sample->period = reader_u64(body);
	sample->chain_length = reader_u64(body);
	if (sample->chain_length > PERF_RECORD_MAX_CHAIN) {
		body->bad = true;
		return;
	}
	sample->chain = reader_bytes(body, sample->chain_length * sizeof(uint64_t));
}

static void read_mmap2(struct reader *body, struct perf_record *record, uint16_t misc)
{
	struct perf_mmap *map = &record->mmap;
	const uint8_t *identity;

	record->pid = read_s32(body);
	record->tid = read_s32(body);
	map->start = reader_u64(body);
	map->size = reader_u64(body);
	map->offset = reader_u64(body);
	identity = reader_bytes(body, 24);
	if (!identity)
		return;
	map->dev = map->inode = 0;
	map->build_id_size = 0;
	if (misc & MMAP2_MISC_BUILD_ID) {
		map->build_id_size = identity[0] <= BUILD_ID_MAX ? identity[0] : 0;
		memcpy(map->build_id, identity + 4, map->build_id_size);
	} else {
		struct reader fields = reader_make(identity, 24);
		uint32_t major = reader_u32(&fields);
		uint32_t minor = reader_u32(&fields);

		map->dev = makedev(major, minor);
		map->inode = reader_u64(&fields);
	}
	reader_u64(body); /* protection and flags: only executable mappings are reported */
	map->path = reader_cstr(body);
}

static void read_task(struct reader *body, struct perf_record *record)
{
	record->pid = read_s32(body);
	record->task.parent_pid = read_s32(body);
	record->tid = read_s32(body);
	record->task.parent_tid = read_s32(body);
}

static void read_comm(struct reader *body, struct perf_record *record, uint16_t misc)
{
	record->pid = read_s32(body);
	record->tid = read_s32(body);
	record->comm.comm = reader_cstr(body);
	record->comm.exec = misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void read_ksymbol(struct reader *body, struct perf_record *record)
{
	record->ksymbol.address = reader_u64(body);
	record->ksymbol.size = reader_u32(body);
	reader_u16(body); /* type: BPF or out-of-line code, both are code to us */
	record->ksymbol.removed = reader_u16(body) & KSYMBOL_UNREGISTER;
	record->ksymbol.name = reader_cstr(body);
}

static void read_body(struct reader *body, struct perf_record *record, uint16_t misc)
{
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		read_mmap2(body, record, misc);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		read_task(body, record);
		break;
	case PERF_RECORD_COMM:
		read_comm(body, record, misc);
		break;
	case PERF_RECORD_LOST:
		reader_u64(body); /* the event that noticed, not the one that lost */
		record->lost.count = reader_u64(body);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		record->lost.count = reader_u64(body);
		break;
	case PERF_RECORD_KSYMBOL:
		read_ksymbol(body, record);
		break;
	default:
		break;
	}
}

/* The trailer's pid and tid are those of whoever caused the record; a body that names its subject
 * overwrites them. */
static void read_trailer(const struct trailer *trailer, struct perf_record *record)
{
	record->pid = trailer->pid;
	record->tid = trailer->tid;
	record->time_ns = trailer->time_ns;
	record->cpu = trailer->cpu;
	record->id = trailer->id;
}

int perf_record_read(const void *bytes, size_t size, struct perf_record *ret_record)
{
	struct perf_event_header header;
	struct perf_record record = { 0 };
	struct reader body;

	if (size < sizeof(header))
		return -EINVAL;
	memcpy(&header, bytes, sizeof(header));
	record.type = header.type;
	record.cpu_mode = header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (header.size != size)
		return -EINVAL;
	body = reader_make((const char *)bytes + sizeof(header), size - sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		read_sample(&body, &record);
	} else {
		struct trailer trailer;

		if (reader_left(&body) < sizeof(trailer))
			return -EINVAL;
		body.end -= sizeof(trailer);
		memcpy(&trailer, body.end, sizeof(trailer));
		read_trailer(&trailer, &record);
		read_body(&body, &record, header.misc);
	}
	if (body.bad)
		return -EINVAL;
	*ret_record = record;
	return 0;
}

uint64_t perf_record_time(const void *bytes, size_t size)
{
	struct perf_event_header header;
	uint64_t time_ns = 0;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		if (size >= SAMPLE_TIME_OFFSET + sizeof(time_ns))
			memcpy(&time_ns, (const char *)bytes + SAMPLE_TIME_OFFSET, sizeof(time_ns));
	} else if (size >= sizeof(header) + sizeof(struct trailer)) {
		struct trailer trailer;

		memcpy(&trailer, (const char *)bytes + size - sizeof(trailer), sizeof(trailer));
		time_ns = trailer.time_ns;
	}
	return time_ns;
}
