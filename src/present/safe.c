/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/safe.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* The length of the UTF-8 character (RFC 3629) at @text and its code point; 0 when there is none.
 * The closing NUL is no continuation, so nothing behind it is read. */
static size_t decode(const char *text, uint32_t *ret_point)
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
		if (!is_continuation(byte[i]))
			return 0;
		point = point << 6 | (byte[i] & 0x3f);
	}
	if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return length;
}

static bool is_control(uint32_t point)
{
	return point < 0x20 || point == 0x7f;
}

/* C1 controls; zero width, direction marks and separators; direction embeddings and isolates. */
static bool commands_terminal(uint32_t point)
{
	return is_control(point) || (point >= 0x80 && point <= 0x9f) ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

static void add_escaped(struct buf *buf, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf_printf(buf, "\\x%02x", (unsigned char)bytes[i]);
}

void safe_text(struct buf *buf, const char *text)
{
	while (*text) {
		uint32_t point;
		size_t length = decode(text, &point);

		if (!length || commands_terminal(point))
			add_escaped(buf, text, length ? length : 1);
		else
			buf_add(buf, text, length);
		text += length ? length : 1;
	}
}

void safe_text_cut(struct buf *buf, const char *text, size_t width)
{
	size_t start = buf->size;
	size_t at = start;

	safe_text(buf, text);
	if (safe_width(buf_text(buf) + start) <= width)
		return;
	for (size_t used = 0; used + 3 < width; used++) {
		at++;
		while (is_continuation((unsigned char)buf->bytes[at]))
			at++;
	}
	buf->size = at;
	buf_add_str(buf, "...");
}

void safe_utf8(struct buf *buf, const char *text)
{
	while (*text) {
		uint32_t point;
		size_t length = decode(text, &point);

		if (length)
			buf_add(buf, text, length);
		else
			add_escaped(buf, text, 1);
		text += length ? length : 1;
	}
}

void safe_csv(struct buf *buf, const char *text)
{
	bool quote = strpbrk(text, ",\"") != NULL;

	if (quote)
		buf_add_char(buf, '"');
	while (*text) {
		uint32_t point;
		size_t length = decode(text, &point);

		if (!length || is_control(point))
			add_escaped(buf, text, 1);
		else if (point == '"')
			buf_add_str(buf, "\"\"");
		else
			buf_add(buf, text, length);
		text += length ? length : 1;
	}
	if (quote)
		buf_add_char(buf, '"');
}

void safe_json(struct buf *buf, const char *text)
{
	buf_add_char(buf, '"');
	while (*text) {
		uint32_t point;
		size_t length = decode(text, &point);

		if (!length)
			buf_printf(buf, "\\\\x%02x", (unsigned char)*text);
		else if (is_control(point))
			buf_printf(buf, "\\u%04x", point);
		else if (point == '"' || point == '\\')
			buf_printf(buf, "\\%c", (char)point);
		else
			buf_add(buf, text, length);
		text += length ? length : 1;
	}
	buf_add_char(buf, '"');
}

size_t safe_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += !is_continuation((unsigned char)*text);
	return width;
}
