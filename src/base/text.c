/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MAX_LETTERS = 63 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned text_distance(const char *a, const char *b, unsigned limit)
{
	unsigned rows[3][MAX_LETTERS + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length > MAX_LETTERS || b_length > MAX_LETTERS)
		return strcmp(a, b) == 0 ? 0 : limit + 1;
	for (size_t j = 0; j <= b_length; j++)
		row[j] = before[j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *free_row = before;

		before = above;
		above = row;
		row = free_row;
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return least(row[b_length], limit + 1);
}

unsigned text_most_wrong(size_t length)
{
	size_t most = length / 3 < 2 ? 2 : length / 3;

	return (unsigned)(2 * most < length ? most : length ? (length - 1) / 2 : 0);
}

/* The closing NUL is no continuation byte, so nothing after it is read. */
size_t text_decode(const char *text, uint32_t *ret_point)
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
		if (!text_continues(byte[i]))
			return 0;
		point = point << 6 | (byte[i] & 0x3f);
	}
	if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return length;
}

bool text_is_control(uint32_t point)
{
	return point < 0x20 || point == 0x7f;
}

/* C1 controls; zero width, direction marks and separators; direction embeddings and isolates. */
bool text_commands_terminal(uint32_t point)
{
	return text_is_control(point) || (point >= 0x80 && point <= 0x9f) ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

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

void text_escape_bytes(struct buf *buf, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf_printf(buf, "\\x%02x", (unsigned char)bytes[i]);
}

void text_escape(struct buf *buf, const char *text, const char *also)
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
		length = text_decode(text, &point);
		escape = !length || text_commands_terminal(point) || is_sequence(text) ||
			 (length == 1 && strchr(also, *text));
		if (escape) {
			buf_add(buf, plain, (size_t)(text - plain));
			text_escape_bytes(buf, text, length ? length : 1);
		}
		text += length ? length : 1;
		if (escape)
			plain = text;
	}
	buf_add(buf, plain, (size_t)(text - plain));
}

void text_escape_name(struct buf *buf, const char *name)
{
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (byte == ';' || byte == '\\' || text_is_control(byte))
			text_escape_bytes(buf, name, 1);
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

void text_unescape(struct buf *buf, const char *text)
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

/* Letters and digits, and what no shell takes for anything else. */
static bool is_plain_in_shell(char character)
{
	return isalnum((unsigned char)character) || (character && strchr("._+-/:@%,=", character));
}

static bool is_plain_word(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++) {
		if (!is_plain_in_shell(*text))
			return false;
	}
	return true;
}

void text_add_word(struct buf *buf, const char *text)
{
	if (is_plain_word(text)) {
		buf_add_str(buf, text);
		return;
	}
	buf_add_char(buf, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_add_str(buf, "'\\'");
		buf_add_char(buf, *text);
	}
	buf_add_char(buf, '\'');
}

bool text_is_words(const char *text)
{
	bool quoted = false;
	uint32_t point;
	size_t length;

	for (; *text; text += length) {
		length = text_decode(text, &point);
		if (!length || text_commands_terminal(point))
			return false;
		if (*text == '\'')
			quoted = !quoted;
		else if (!quoted && text[0] == '\\' && text[1] == '\'')
			length = 2;
		else if (!quoted && *text != ' ' && !is_plain_in_shell(*text))
			return false;
	}
	return !quoted;
}

void text_add_hex(struct buf *buf, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf_printf(buf, "%02x", bytes[i]);
}
