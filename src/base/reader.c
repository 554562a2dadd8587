/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/reader.h"

#include <byteswap.h>
#include <string.h>

struct reader reader_make(const void *bytes, size_t size)
{
	return (struct reader){ .at = bytes, .end = (const uint8_t *)bytes + size };
}

size_t reader_left(const struct reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

const void *reader_bytes(struct reader *reader, size_t size)
{
	const void *bytes = reader->at;

	if (reader->bad || size > reader_left(reader)) {
		reader->bad = true;
		reader->at = reader->end;
		return NULL;
	}
	reader->at += size;
	return bytes;
}

uint8_t reader_u8(struct reader *reader)
{
	const uint8_t *byte = reader_bytes(reader, 1);

	return byte ? *byte : 0;
}

#define DEFINE_FIXED(bits)                                               \
	uint##bits##_t reader_u##bits(struct reader *reader)             \
	{                                                                \
		uint##bits##_t value = 0;                                \
		const void *bytes = reader_bytes(reader, sizeof(value)); \
                                                                         \
		if (!bytes)                                              \
			return 0;                                        \
		memcpy(&value, bytes, sizeof(value));                    \
		return reader->swap ? bswap_##bits(value) : value;       \
	}

DEFINE_FIXED(16)
DEFINE_FIXED(32)
DEFINE_FIXED(64)

/* Reads the groups of seven bits; *ret_bits is how many were read. */
static uint64_t leb(struct reader *reader, unsigned *ret_bits, uint8_t *ret_last)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = reader_u8(reader);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		else if (byte & 0x7f)
			reader->bad = true;
		shift += 7;
	} while ((byte & 0x80) && !reader->bad);
	*ret_bits = shift;
	*ret_last = byte;
	return value;
}

uint64_t reader_uleb(struct reader *reader)
{
	unsigned bits;
	uint8_t last;

	return leb(reader, &bits, &last);
}

int64_t reader_sleb(struct reader *reader)
{
	unsigned bits;
	uint8_t last;
	uint64_t value = leb(reader, &bits, &last);

	if ((last & 0x40) && bits < 64)
		value |= ~0ULL << bits;
	return (int64_t)value;
}

int64_t reader_zigzag(struct reader *reader)
{
	uint64_t value = reader_uleb(reader);

	return (int64_t)(value >> 1 ^ -(value & 1));
}

const char *reader_cstr(struct reader *reader)
{
	size_t left = reader_left(reader);
	const void *nul = left ? memchr(reader->at, '\0', left) : NULL;

	if (!nul) {
		reader->bad = true;
		reader->at = reader->end;
		return "";
	}
	return reader_bytes(reader, (size_t)((const uint8_t *)nul - reader->at) + 1);
}

struct reader reader_sub(struct reader *reader, size_t size)
{
	const void *bytes = reader_bytes(reader, size);

	if (!bytes)
		return (struct reader){ .bad = true, .swap = reader->swap };
	return (struct reader){ .at = bytes,
				.end = (const uint8_t *)bytes + size,
				.swap = reader->swap };
}
