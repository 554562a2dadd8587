/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/escape.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

enum { SEQUENCE = 4 }; /* characters of \xNN */

static bool is_sequence(const char *text)
{
	return text[0] == '\\' && text[1] == 'x' && isxdigit((unsigned char)text[2]) &&
	       isxdigit((unsigned char)text[3]);
}

/* Printable ASCII that begins no escape. */
static bool is_plain(char character)
{
	return character >= 0x20 && character < 0x7f && character != '\\';
}

static void add_bytes(struct buf *buf, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf_printf(buf, "\\x%02x", (unsigned char)bytes[i]);
}

void escape_add(struct buf *buf, const char *text, const char *also)
{
	const char *plain = text; /* not added yet */

	while (*text) {
		uint32_t point;
		size_t length;
		bool escape;

		if (is_plain(*text) && !strchr(also, *text)) {
			text++;
			continue;
		}
		length = utf8_decode(text, &point);
		escape = !length || utf8_commands_terminal(point) || is_sequence(text) ||
			 (length == 1 && strchr(also, *text));
		if (escape) {
			buf_add(buf, plain, (size_t)(text - plain));
			add_bytes(buf, text, length ? length : 1);
		}
		text += length ? length : 1;
		if (escape)
			plain = text;
	}
	buf_add(buf, plain, (size_t)(text - plain));
}

void escape_add_name(struct buf *buf, const char *name)
{
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (byte == ';' || byte == '\\' || byte < 0x20 || byte == 0x7f)
			add_bytes(buf, name, 1);
		else
			buf_add_char(buf, *name);
	}
}

static unsigned digit(char character)
{
	if (isdigit((unsigned char)character))
		return (unsigned)(character - '0');
	return (unsigned)(tolower((unsigned char)character) - 'a') + 10;
}

void escape_undo(struct buf *buf, const char *text)
{
	while (*text) {
		unsigned byte = is_sequence(text) ? digit(text[2]) << 4 | digit(text[3]) : 0;

		if (byte == 0 || (byte < 0x80 && isalnum((int)byte))) {
			buf_add_char(buf, *text++);
			continue;
		}
		buf_add_char(buf, (char)byte);
		text += SEQUENCE;
	}
}
