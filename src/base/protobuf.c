/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/protobuf.h"

#include <limits.h>
#include <string.h>

enum { TYPE_BITS = 3, TYPE_MASK = 7, MAX_VARINT = 10 /* bytes */ };

static void add_tag(struct buf *buf, unsigned field, enum protobuf_type type)
{
	buf_add_uleb(buf, (uint64_t)field << TYPE_BITS | type);
}

void protobuf_number(struct buf *buf, unsigned field, uint64_t value)
{
	if (!value)
		return;
	add_tag(buf, field, PROTOBUF_VARINT);
	buf_add_uleb(buf, value);
}

void protobuf_bytes(struct buf *buf, unsigned field, const void *bytes, size_t size)
{
	add_tag(buf, field, PROTOBUF_BYTES);
	buf_add_uleb(buf, size);
	buf_add(buf, bytes, size);
}

void protobuf_text(struct buf *buf, unsigned field, const char *text)
{
	protobuf_bytes(buf, field, text, strlen(text));
}

void protobuf_message(struct buf *buf, unsigned field, const struct buf *message)
{
	protobuf_bytes(buf, field, message->bytes, message->size);
}

/* Bits beyond 64 are dropped, as other readers do. */
static uint64_t take_varint(struct reader *reader)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < MAX_VARINT; i++) {
		uint8_t byte = reader_u8(reader);

		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return value;
	}
	reader->bad = true;
	return 0;
}

bool protobuf_next(struct reader *reader, struct protobuf_field *ret_field)
{
	struct protobuf_field field = { .value = 0 };
	uint64_t tag;

	if (reader->bad || reader_left(reader) == 0)
		return false;
	tag = take_varint(reader);
	field.type = (enum protobuf_type)(tag & TYPE_MASK);
	switch (field.type) {
	case PROTOBUF_VARINT:
		field.value = take_varint(reader);
		break;
	case PROTOBUF_FIXED64:
		field.value = reader_u64(reader);
		break;
	case PROTOBUF_FIXED32:
		field.value = reader_u32(reader);
		break;
	case PROTOBUF_BYTES:
		field.bytes = reader_sub(reader, take_varint(reader));
		break;
	default:
		reader->bad = true;
	}
	field.number = tag >> TYPE_BITS > INT_MAX ? 0 : (unsigned)(tag >> TYPE_BITS);
	if (!reader->bad)
		*ret_field = field;
	return !reader->bad;
}

bool protobuf_each(struct protobuf_field *field, bool *started, uint64_t *ret_value)
{
	if (field->type != PROTOBUF_BYTES) {
		if (*started)
			return false;
		*started = true;
		*ret_value = field->value;
		return true;
	}
	if (field->bytes.bad || reader_left(&field->bytes) == 0)
		return false;
	*ret_value = take_varint(&field->bytes);
	return !field->bytes.bad;
}
