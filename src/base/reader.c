/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/reader.h"

#include <byteswap.h>
#include <string.h>

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

/* True if the seven-bit group at @shift does not fit in 64 bits. @value contains this group and all
 * before it; groups beyond the last bit may only repeat the sign. */
static bool leb_overflows(uint64_t value, unsigned shift, uint8_t group, bool is_signed)
{
	uint8_t sign = is_signed && value >> 63 ? 0x7f : 0;

	if (shift < 63)
		return false;
	if (shift == 63 && !is_signed)
		return group > 1;
	return group != sign;
}

static uint64_t leb(struct reader *reader, bool is_signed)
{
	enum { BEYOND = 64 }; /* no bits left */
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte, group;

	do {
		byte = reader_u8(reader);
		group = byte & 0x7f;
		if (shift < BEYOND)
			value |= (uint64_t)group << shift;
		if (leb_overflows(value, shift, group, is_signed))
			reader->bad = true;
		if (shift < BEYOND)
			shift += 7;
	} while ((byte & 0x80) && !reader->bad);
	if (is_signed && (group & 0x40) && shift < 64)
		value |= ~0ULL << shift;
	return value;
}

uint64_t reader_long_uleb(struct reader *reader)
{
	return leb(reader, false);
}

int64_t reader_sleb(struct reader *reader)
{
	return (int64_t)leb(reader, true);
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

	if (!nul || reader->bad) {
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
