/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How SQLite lays out pages and rows (sqlite3 fileformat2), for code that reads them without
 * SQLite. */
#ifndef STORE_FILE_FORMAT_H
#define STORE_FILE_FORMAT_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/reader.h"

enum {
	/* Types of pages, section 1.6. */
	FORMAT_INTERIOR_INDEX = 0x02,
	FORMAT_INTERIOR_TABLE = 0x05,
	FORMAT_LEAF_INDEX = 0x0a,
	FORMAT_LEAF_TABLE = 0x0d,
	FORMAT_LEAF_HEADER_BYTES = 8,
	FORMAT_INTERIOR_HEADER_BYTES = 12,

	/* Of the first page, section 1.3. */
	FORMAT_FILE_HEADER_BYTES = 100,
	FORMAT_AT_PAGE_BYTES = 16,
	FORMAT_AT_RESERVED_BYTES = 20,
	FORMAT_AT_ENCODING = 56, /* of texts, four bytes */
	FORMAT_UTF_8 = 1,

	FORMAT_VARINT_BYTES = 9,

	/* Types of values, section 2.1. */
	FORMAT_SERIAL_NULL = 0,
	FORMAT_SERIAL_INT64 = 6,
	FORMAT_SERIAL_DOUBLE = 7,
	FORMAT_SERIAL_0 = 8,
	FORMAT_SERIAL_1 = 9,
	FORMAT_FIRST_BLOB_OR_TEXT = 12, /* from here on the type includes the length */
};

/* An integer of at most eight bytes, highest byte first; 0 if the bytes are not there. */
static inline uint64_t format_big_endian(struct reader *reader, unsigned bytes)
{
	const uint8_t *at = reader_bytes(reader, bytes);
	uint64_t value = 0;

	for (unsigned i = 0; at && i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

/* Seven bits a byte, highest first; the ninth byte has eight (section 1.6). */
uint64_t format_long_varint(struct reader *reader);

/* Most varints have one byte. */
static inline uint64_t format_varint(struct reader *reader)
{
	if (!reader->bad && reader->at < reader->end && *reader->at < 0x80)
		return *reader->at++;
	return format_long_varint(reader);
}

/* Size in bytes of a value of this type. */
static inline uint64_t format_value_bytes(uint64_t type)
{
	static const uint8_t sizes[FORMAT_FIRST_BLOB_OR_TEXT] = {
		0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0
	};

	return type < FORMAT_FIRST_BLOB_OR_TEXT ? sizes[type]
						: (type - FORMAT_FIRST_BLOB_OR_TEXT) / 2;
}

static inline bool format_is_integer(uint64_t type)
{
	return type - 1 < FORMAT_SERIAL_INT64 || type == FORMAT_SERIAL_0 || type == FORMAT_SERIAL_1;
}

/* Integers are signed, highest byte first. Reads eight bytes at once if the row still has eight,
 * which is nearly always true. */
static inline int64_t format_integer(struct reader *values, unsigned bytes)
{
	unsigned unused = 64 - 8 * bytes;
	uint64_t value;

	if (reader_left(values) < sizeof(value))
		return (int64_t)(format_big_endian(values, bytes) << unused) >> unused;
	memcpy(&value, values->at, sizeof(value));
	values->at += bytes;
	return (int64_t)be64toh(value) >> unused;
}

/* The most bytes of a row that its page holds; the rest is on overflow pages (section 1.6). */
static inline uint64_t format_most_local(uint32_t usable_bytes, bool table)
{
	return table ? usable_bytes - 35 : (usable_bytes - 12) * 64 / 255 - 23;
}

/* How many of the @bytes of a row its page holds. */
static inline uint64_t format_local_bytes(uint32_t usable_bytes, bool table, uint64_t bytes)
{
	uint64_t most = format_most_local(usable_bytes, table);
	uint64_t least = (usable_bytes - 12) * 32 / 255 - 23, rest;

	if (bytes <= most)
		return bytes;
	rest = least + (bytes - least) % (usable_bytes - 4);
	return rest <= most ? rest : least;
}

#endif
