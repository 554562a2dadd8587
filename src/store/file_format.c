/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/file_format.h"

uint64_t format_long_varint(struct reader *reader)
{
	uint64_t value = 0;

	for (int i = 1; i < FORMAT_VARINT_BYTES; i++) {
		uint8_t byte = reader_u8(reader);

		value = value << 7 | (byte & 0x7f);
		if (!(byte & 0x80))
			return value;
	}
	return value << 8 | reader_u8(reader);
}
