/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/safe.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* Length of the beginning that is printable ASCII and has neither @stop nor @other. Most names
 * consist only of that, and are copied at once. */
static size_t plain_length(const char *text, char stop, char other)
{
	size_t length = 0;

	while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != stop &&
	       text[length] != other)
		length++;
	return length;
}

/* Appends the plain beginning of *text and advances *text. True: that was all of it. */
static bool add_plain(struct buf *buf, const char **text, char stop, char other)
{
	size_t length = plain_length(*text, stop, other);

	buf_add(buf, *text, length);
	*text += length;
	return !**text;
}

static void add_escaped(struct buf *buf, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf_printf(buf, "\\x%02x", (unsigned char)bytes[i]);
}

void safe_text(struct buf *buf, const char *text)
{
	while (!add_plain(buf, &text, '\0', '\0')) {
		uint32_t point;
		size_t length = utf8_decode(text, &point);

		if (!length || utf8_commands_terminal(point))
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
		while (utf8_continues((unsigned char)buf->bytes[at]))
			at++;
	}
	buf->size = at;
	buf_add_str(buf, "...");
}

void safe_utf8(struct buf *buf, const char *text)
{
	while (!add_plain(buf, &text, '\0', '\0')) {
		uint32_t point;
		size_t length = utf8_decode(text, &point);

		if (!length || (point >= 0x80 && utf8_commands_terminal(point)))
			add_escaped(buf, text, length ? length : 1);
		else
			buf_add(buf, text, length);
		text += length ? length : 1;
	}
}

void safe_csv(struct buf *buf, const char *text)
{
	bool quote = strpbrk(text, ",\"") != NULL;

	if (quote)
		buf_add_char(buf, '"');
	while (!add_plain(buf, &text, '"', '\0')) {
		uint32_t point;
		size_t length = utf8_decode(text, &point);

		if (!length || utf8_commands_terminal(point))
			add_escaped(buf, text, length ? length : 1);
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
	while (!add_plain(buf, &text, '"', '\\')) {
		uint32_t point;
		size_t length = utf8_decode(text, &point);

		if (!length)
			buf_printf(buf, "\\\\x%02x", (unsigned char)*text);
		else if (utf8_commands_terminal(point))
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
	size_t length = strlen(text), width = length;

	for (size_t i = 0; i < length; i++)
		width -= utf8_continues((unsigned char)text[i]);
	return width;
}
