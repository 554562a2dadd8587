/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of Protocol Buffers without a schema (protobuf.dev, "Encoding"): each field is a number,
 * a type and a value. The caller knows the fields of its messages.
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/reader.h"

enum protobuf_type {
	PROTOBUF_VARINT = 0, /* uint64, int64 (two's complement), bool, enum */
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2, /* string, bytes, message, packed numbers */
	PROTOBUF_FIXED32 = 5,
};

/* Each appends a field. A number that is 0 is omitted, which means the same. */
void protobuf_number(struct buf *buf, unsigned field, uint64_t value);
void protobuf_bytes(struct buf *buf, unsigned field, const void *bytes, size_t size);
void protobuf_text(struct buf *buf, unsigned field, const char *text);
void protobuf_message(struct buf *buf, unsigned field, const struct buf *message);

struct protobuf_field {
	unsigned number; /* 0: one that no message can have; other readers skip it too */
	enum protobuf_type type;
	uint64_t value;	     /* of the numeric types */
	struct reader bytes; /* for PROTOBUF_BYTES, borrowed from the message */
};

/* Reads the next field of a message. False at its end, or if it is damaged (reader->bad). */
bool protobuf_next(struct reader *reader, struct protobuf_field *ret_field);
/* Reads the next number of a repeated numeric field, packed or not. Start with *started false.
 * False: no more, or damaged (field->bytes.bad). */
bool protobuf_each(struct protobuf_field *field, bool *started, uint64_t *ret_value);

#endif
