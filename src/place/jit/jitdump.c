/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jitdump.h"

#include <errno.h>
#include <string.h>

#include "base/reader.h"

enum {
	MAGIC = 0x4A695444, /* "JiTD" */
	MAGIC_SWAPPED = 0x4454694A,
	VERSION = 1,
	FLAG_PROCESSOR_CLOCK = 1,
};

enum record_id {
	ID_LOAD = 0,
	ID_MOVE = 1,
	ID_DEBUG_INFO = 2,
	ID_CLOSE = 3,
};

int jitdump_header(const void *bytes, size_t size, struct jitdump_header *ret_header,
		   struct err *err)
{
	struct reader reader = reader_make(bytes, size);
	struct jitdump_header header = { 0 };
	uint32_t magic = reader_u32(&reader), version;

	if (size < JITDUMP_HEADER_BYTES)
		return -ENODATA;
	if (magic != MAGIC && magic != MAGIC_SWAPPED)
		return err_set(err, -EBADMSG, "not a jitdump");
	header.swapped = reader.swap = magic == MAGIC_SWAPPED;
	version = reader_u32(&reader);
	header.size = reader_u32(&reader);
	header.machine = reader_u32(&reader);
	reader_u32(&reader);
	header.pid = reader_u32(&reader);
	reader_u64(&reader); /* when it was created */
	header.processor_clock = reader_u64(&reader) & FLAG_PROCESSOR_CLOCK;
	if (version != VERSION)
		return err_set(err, -EBADMSG, "unsupported jitdump version %u", version);
	if (header.size < JITDUMP_HEADER_BYTES || header.size > JITDUMP_MAX_HEADER)
		return err_set(err, -EBADMSG, "invalid jitdump header size %u", header.size);
	*ret_header = header;
	return 0;
}

static void read_load(struct reader *reader, struct jitdump_record *record)
{
	const uint8_t *begin = reader->at - JITDUMP_PREFIX_BYTES;
	uint64_t name_end;

	reader_u64(reader); /* pid, tid */
	reader_u64(reader); /* "vma": the same address, or that of a second mapping used for
			       writing */
	record->start = reader_u64(reader);
	record->code_size = reader_u64(reader);
	record->index = reader_u64(reader);
	record->name = (const char *)reader->at;
	record->name_length = strnlen(record->name, reader_left(reader));
	reader_bytes(reader, record->name_length);
	reader_u8(reader);
	name_end = (uint64_t)(reader->at - begin);
	if (reader->bad)
		return;
	record->kind = JITDUMP_LOAD;
	if (record->code_size <= record->size && record->size - record->code_size >= name_end)
		record->code_at = (uint32_t)(record->size - record->code_size);
}

static void read_move(struct reader *reader, struct jitdump_record *record)
{
	reader_u64(reader); /* pid, tid */
	reader_u64(reader); /* the new address again */
	record->old_start = reader_u64(reader);
	record->start = reader_u64(reader);
	record->code_size = reader_u64(reader);
	record->index = reader_u64(reader);
	if (!reader->bad)
		record->kind = JITDUMP_MOVE;
}

static void read_debug_info(struct reader *reader, struct jitdump_record *record)
{
	record->start = reader_u64(reader);
	record->line_count = reader_u64(reader);
	record->lines = reader->at;
	record->lines_size = reader_left(reader);
	if (!reader->bad)
		record->kind = JITDUMP_LINES;
}

int jitdump_record(const struct jitdump_header *header, const void *bytes, size_t size,
		   uint64_t left, struct jitdump_record *ret_record)
{
	struct reader reader = reader_make(bytes, size), body;
	struct jitdump_record record = { .kind = JITDUMP_OTHER };
	uint32_t id, here;

	reader.swap = header->swapped;
	id = reader_u32(&reader);
	record.size = reader_u32(&reader);
	record.time = reader_u64(&reader);
	if (reader.bad)
		return -ENODATA;
	if (record.size < JITDUMP_PREFIX_BYTES || record.size > JITDUMP_MAX_RECORD)
		return -EBADMSG;
	if (record.size > left)
		return -ENODATA;
	here = record.size < size ? record.size : (uint32_t)size;
	body = reader_sub(&reader, here - JITDUMP_PREFIX_BYTES);
	if (id == ID_LOAD)
		read_load(&body, &record);
	else if (id == ID_MOVE)
		read_move(&body, &record);
	else if (id == ID_DEBUG_INFO)
		read_debug_info(&body, &record);
	else if (id == ID_CLOSE)
		record.kind = JITDUMP_CLOSE;
	*ret_record = record;
	return 0;
}

/* A name of these two bytes means the previous name. */
static bool is_same_file(const char *name)
{
	return (uint8_t)name[0] == 0xff && name[1] == '\0';
}

ssize_t jitdump_lines(const struct jitdump_header *header, const struct jitdump_record *record,
		      void (*take)(void *context, const struct jitdump_line *line), void *context)
{
	struct reader reader = reader_make(record->lines, record->lines_size);
	struct jitdump_line line = { .file = "" };

	reader.swap = header->swapped;
	for (uint64_t i = 0; i < record->line_count && !reader.bad; i++) {
		const char *file;

		line.address = reader_u64(&reader);
		line.line = reader_u32(&reader);
		reader_u32(&reader); /* discriminator */
		file = reader_cstr(&reader);
		if (!is_same_file(file))
			line.file = file;
		if (!reader.bad)
			take(context, &line);
	}
	return reader.bad ? -EBADMSG : (ssize_t)reader_left(&reader);
}
