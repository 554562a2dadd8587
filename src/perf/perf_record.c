/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_record.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/reader.h"
#include "bpf/stack_wire.h"

enum {
	MISC_MMAP_DATA = 1 << 13,     /* PERF_RECORD_MISC_MMAP_DATA */
	MISC_MMAP_BUILD_ID = 1 << 14, /* PERF_RECORD_MISC_MMAP_BUILD_ID */
	/* perf record --filter; tools/lib/perf/include/perf/event.h */
	MISC_LOST_SAMPLES_BPF = 1 << 15,
	KSYMBOL_NAME_AT = 24,	     /* after header, address, size, type and flags */
	BPF_EVENT_BYTES = 24,	     /* header, type, flags, id, tag */
	KSYMBOL_UNREGISTER = 1 << 0, /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
	MMAP2_IDENTITY_BYTES = 24,
	MINOR_BITS = 20, /* of a device's minor number */
};

static int32_t read_s32(struct reader *reader)
{
	return (int32_t)reader_u32(reader);
}

/* PERF_RECORD_MMAP, and the start of _MMAP2. */
static void read_range(struct reader *body, struct perf_record *record, uint16_t misc)
{
	struct perf_mmap *map = &record->mmap;

	record->pid = read_s32(body);
	record->tid = read_s32(body);
	map->start = reader_u64(body);
	map->size = reader_u64(body);
	map->offset = reader_u64(body);
	map->executable = !(misc & MISC_MMAP_DATA);
}

/* In _MMAP2 records of Linux 3.12, and of Red Hat kernels of that time, the path follows at once,
 * without protection and flags. Its first characters, read as protection, have bits that do not
 * exist. */
static void read_protection(struct reader *body, struct perf_mmap *map)
{
	const uint32_t grows = 0x01000000 | 0x02000000; /* PROT_GROWSDOWN, PROT_GROWSUP */
	const uint32_t known = PROT_READ | PROT_WRITE | PROT_EXEC | 8 /* PROT_SEM */ | grows;
	struct reader ahead = *body;
	uint32_t protection = reader_u32(&ahead);

	if (protection & ~known)
		return;
	map->executable = protection & PROT_EXEC;
	reader_u32(&ahead); /* flags */
	*body = ahead;
}

/*
 * True if the record has a build id, as its flag says. The kernel (seen in 6.18) also sets the flag
 * in records of events that did not ask for build ids, if it reported the mapping to one that did
 * before. Then the byte for the id's size is part of a device's major number, and small numbers
 * follow it.
 */
static bool is_build_id(struct reader identity)
{
	struct reader numbers = identity;
	uint8_t size = reader_u8(&identity);
	bool no_device, rest = reader_u8(&identity) | reader_u16(&identity);
	const uint8_t *id = reader_bytes(&identity, BUILD_ID_MAX);

	if (!id || size == 0 || size > BUILD_ID_MAX || rest)
		return false;
	for (size_t i = size; i < BUILD_ID_MAX; i++)
		rest |= id[i];
	reader_u32(&numbers);
	no_device = reader_u32(&numbers) >> MINOR_BITS;
	no_device |= reader_u64(&numbers) >> 32 != 0;
	return !rest && no_device;
}

static void read_build_id(struct reader identity, struct perf_mmap *map)
{
	map->build_id_size = reader_u8(&identity);
	reader_bytes(&identity, 3);
	memcpy(map->build_id, reader_bytes(&identity, BUILD_ID_MAX), map->build_id_size);
}

static void read_device(struct reader identity, struct perf_mmap *map)
{
	uint32_t major = reader_u32(&identity);
	uint32_t minor = reader_u32(&identity);

	map->dev = makedev(major, minor);
	map->inode = reader_u64(&identity);
	map->generation = reader_u64(&identity);
	map->has_generation = true;
}

static void read_mmap2(struct reader *body, struct perf_record *record, uint16_t misc)
{
	struct perf_mmap *map = &record->mmap;
	struct reader identity;

	read_range(body, record, misc);
	identity = reader_sub(body, MMAP2_IDENTITY_BYTES);
	if (misc & MISC_MMAP_BUILD_ID && is_build_id(identity))
		read_build_id(identity, map);
	else
		read_device(identity, map);
	read_protection(body, map);
	map->path = reader_cstr(body);
}

static void read_mmap(struct reader *body, struct perf_record *record, uint16_t misc)
{
	read_range(body, record, misc);
	record->mmap.path = reader_cstr(body);
}

/* Fork, exit and throttle records also have a time in the body, for events without trailer. */
static void read_own_time(struct reader *body, struct perf_record *record)
{
	uint64_t time_ns = reader_u64(body);

	if (!record->time_ns)
		record->time_ns = time_ns;
}

static void read_task(struct reader *body, struct perf_record *record)
{
	record->pid = read_s32(body);
	record->task.parent_pid = read_s32(body);
	record->tid = read_s32(body);
	record->task.parent_tid = read_s32(body);
	read_own_time(body, record);
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
	reader_u16(body); /* type: BPF or out-of-line code; we treat both as code */
	record->ksymbol.removed = reader_u16(body) & KSYMBOL_UNREGISTER;
	record->ksymbol.name = reader_cstr(body);
}

static void read_throttle(struct reader *body, struct perf_record *record)
{
	uint64_t id;

	read_own_time(body, record);
	id = reader_u64(body);
	if (!record->id)
		record->id = id;
}

static void read_cgroup(struct reader *body, struct perf_record *record)
{
	record->cgroup.id = reader_u64(body);
	record->cgroup.path = reader_cstr(body);
}

static void read_body(struct reader *body, struct perf_record *record, uint16_t misc)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
		read_mmap(body, record, misc);
		break;
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
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		read_throttle(body, record);
		break;
	case PERF_RECORD_CGROUP:
		read_cgroup(body, record);
		break;
	case PERF_RECORD_LOST:
		reader_u64(body); /* the event that noticed, not the one that lost */
		record->lost.count = reader_u64(body);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		record->lost.count = reader_u64(body);
		record->lost.filtered = misc & MISC_LOST_SAMPLES_BPF;
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		record->switched.out = misc & PERF_RECORD_MISC_SWITCH_OUT;
		record->switched.preempted = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		break;
	case PERF_RECORD_KSYMBOL:
		read_ksymbol(body, record);
		break;
	default:
		break;
	}
}

/* The trailer's pid and tid are those of the thread that caused the record. A body that names its
 * subject overwrites them. */
static void read_trailer(struct reader *trailer, const struct perf_format *format,
			 struct perf_record *record)
{
	uint64_t type = format->sample_type;

	if (type & PERF_SAMPLE_TID) {
		record->pid = read_s32(trailer);
		record->tid = read_s32(trailer);
	}
	if (type & PERF_SAMPLE_TIME)
		record->time_ns = reader_u64(trailer);
	if (type & PERF_SAMPLE_ID)
		record->id = reader_u64(trailer);
	if (type & PERF_SAMPLE_STREAM_ID)
		reader_u64(trailer);
	if (type & PERF_SAMPLE_CPU) {
		record->cpu = reader_u32(trailer);
		reader_u32(trailer); /* reserved */
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id = reader_u64(trailer);
}

struct perf_format perf_record_live_format(void)
{
	return (struct perf_format){ .sample_type = PERF_RECORD_SAMPLE_TYPE,
				     .sample_id_all = true };
}

/*
 * Where the record ends, after its trailer. For kernel symbols and BPF programs the size in the
 * header is too large if several events report them: the kernel (seen in 6.18) adds the trailer's
 * size again for each earlier event. The excess bytes have no meaning.
 */
static size_t real_size(const void *bytes, size_t size, uint32_t type,
			const struct perf_format *format)
{
	size_t trailer = perf_format_trailer_size(format), end = size;

	if (type == PERF_RECORD_KSYMBOL && size > KSYMBOL_NAME_AT) {
		const char *name = (const char *)bytes + KSYMBOL_NAME_AT;
		size_t length = strnlen(name, size - KSYMBOL_NAME_AT);

		end = KSYMBOL_NAME_AT + (length / 8 + 1) * 8 + trailer;
	} else if (type == PERF_RECORD_BPF_EVENT) {
		end = BPF_EVENT_BYTES + trailer;
	}
	return end < size ? end : size;
}

/* False if the record is shorter than its trailer. */
static bool read_other(struct reader *body, const struct perf_format *format, uint16_t misc,
		       struct perf_record *record)
{
	size_t trailer_size = perf_format_trailer_size(format);
	struct reader trailer;

	if (reader_left(body) < trailer_size)
		return false;
	body->end -= trailer_size;
	trailer = reader_make(body->end, trailer_size);
	trailer.swap = body->swap;
	read_trailer(&trailer, format, record);
	read_body(body, record, misc);
	return true;
}

static struct perf_event_header read_header(struct reader *reader)
{
	struct perf_event_header header;

	header.type = reader_u32(reader);
	header.misc = reader_u16(reader);
	header.size = reader_u16(reader);
	return header;
}

int perf_record_read(const void *bytes, size_t size, const struct perf_format *format,
		     struct perf_record *ret_record)
{
	struct reader body = reader_make(bytes, size);
	struct perf_record record = { 0 };
	struct perf_event_header header;

	body.swap = format->swap_room != NULL;
	header = read_header(&body);
	if (body.bad || header.size != size)
		return -EINVAL;
	record.type = header.type;
	record.cpu_mode = header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (header.type == PERF_RECORD_SAMPLE) {
		perf_sample_read(&body, format, &record);
	} else {
		body.end = (const uint8_t *)bytes + real_size(bytes, size, header.type, format);
		if (!read_other(&body, format, header.misc, &record))
			return -EINVAL;
	}
	if (body.bad)
		return -EINVAL;
	*ret_record = record;
	return 0;
}

static uint32_t type_of(const void *bytes, size_t size, const struct perf_format *format)
{
	struct reader reader = reader_make(bytes, size);

	reader.swap = format->swap_room != NULL;
	return reader_u32(&reader);
}

/* The word @at bytes after a sample's start or before another record's end; 0 if out of range. */
static uint64_t word_at(const void *bytes, size_t size, const struct perf_format *format,
			uint32_t type, size_t at)
{
	struct reader reader = reader_make(bytes, size);
	size_t offset = at;

	if (type != PERF_RECORD_SAMPLE)
		offset = real_size(bytes, size, type, format) - at;
	reader.swap = format->swap_room != NULL;
	if (offset > size || offset < sizeof(struct perf_event_header))
		return 0;
	reader_bytes(&reader, offset);
	return reader_u64(&reader);
}

uint64_t perf_record_time(const void *bytes, size_t size, const struct perf_format *format)
{
	uint32_t type = type_of(bytes, size, format);
	size_t at;

	if (!perf_format_time_at(format, type == PERF_RECORD_SAMPLE, &at))
		return 0;
	return word_at(bytes, size, format, type, at);
}

uint64_t perf_record_id(const void *bytes, size_t size, const struct perf_format *format)
{
	uint32_t type = type_of(bytes, size, format);
	size_t at;

	if (!perf_format_id_at(format, type == PERF_RECORD_SAMPLE, &at))
		return 0;
	return word_at(bytes, size, format, type, at);
}

static const enum stack_end ends[UNWIND_END_COUNT] = {
#define ROW(id) [UNWIND_END_##id] = STACK_##id,
	UNWIND_ENDS(ROW)
#undef ROW
};

static const enum user_stack_form forms[] = {
	[STACK_FORM_NONE] = USER_STACK_NONE,
	[STACK_FORM_KNOWN] = USER_STACK_KNOWN,
	[STACK_FORM_ADDRESSES] = USER_STACK_ADDRESSES,
	[STACK_FORM_DUMP] = USER_STACK_DUMP,
};

static const enum context contexts[] = {
	[STACK_CONTEXT_TASK] = CONTEXT_TASK,
	[STACK_CONTEXT_SOFTIRQ] = CONTEXT_SOFTIRQ,
	[STACK_CONTEXT_HARDIRQ] = CONTEXT_HARDIRQ,
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static enum context context_of(uint8_t context)
{
	return context < COUNT_OF(contexts) ? contexts[context] : CONTEXT_COUNT;
}

/* The variable parts after the fixed one. */
static void read_parts(struct reader *reader, const struct stack_record *fixed,
		       struct perf_sample *sample)
{
	struct user_stack *user = &sample->user_stack;

	sample->chain_length = fixed->kernel_count;
	sample->chain = reader_bytes(reader, fixed->kernel_count * sizeof(uint64_t));
	user->count = fixed->user_count;
	user->addresses = reader_bytes(reader, fixed->user_count * sizeof(uint64_t));
	if (user->form != USER_STACK_DUMP)
		return;
	user->registers = reader_bytes(reader, sizeof(*user->registers));
	user->stack = reader_bytes(reader, fixed->stack_size);
	user->stack_size = fixed->stack_size;
	user->stack_address = fixed->stack_address;
	user->stack_cut = fixed->flags & STACK_FLAG_CUT;
}

bool perf_record_unpack(struct perf_record *record)
{
	/* The kernel's own size field precedes the record, so that the rest is aligned:
	 * bpf/stack_wire.h. */
	struct reader reader = reader_make(record->sample.raw, record->sample.raw_size);
	struct perf_sample sample = record->sample;
	struct stack_record fixed = { 0 };
	const size_t rest = sizeof(fixed) - sizeof(fixed.raw_size);
	const void *bytes = reader_bytes(&reader, rest);

	if (!bytes)
		return false;
	memcpy(&fixed.form, bytes, rest);
	if (fixed.form >= COUNT_OF(forms) || fixed.end == UNWIND_MORE ||
	    fixed.end >= UNWIND_END_COUNT)
		return false;
	sample.period = fixed.period;
	sample.context = context_of(fixed.context);
	sample.user_stack = (struct user_stack){ .form = forms[fixed.form],
						 .end = ends[fixed.end],
						 .hash = fixed.hash,
						 .space = fixed.space,
						 .generation = fixed.generation };
	read_parts(&reader, &fixed, &sample);
	if (reader.bad)
		return false;
	record->id = fixed.event;
	record->sample = sample;
	return true;
}
