/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"

/* The closing NUL is no continuation byte, so nothing after it is read. */
size_t utf8_decode(const char *text, uint32_t *ret_point)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)text;
	size_t length = *byte < 0x80   ? 1
			: *byte < 0xc2 ? 0
			: *byte < 0xe0 ? 2
			: *byte < 0xf0 ? 3
				       : 4;
	uint32_t point = length == 1 ? *byte : *byte & (0x7fu >> length);

	if (*byte > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (!utf8_continues(byte[i]))
			return 0;
		point = point << 6 | (byte[i] & 0x3f);
	}
	if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return length;
}

bool utf8_is_control(uint32_t point)
{
	return point < 0x20 || point == 0x7f;
}

/* C1 controls; zero width, direction marks and separators; direction embeddings and isolates. */
bool utf8_commands_terminal(uint32_t point)
{
	return utf8_is_control(point) || (point >= 0x80 && point <= 0x9f) ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}
