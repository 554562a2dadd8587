/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json_add.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Most names consist only of printable ASCII, and are copied at once. */
static size_t plain_length(const char *text)
{
	size_t length = 0;

	while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' &&
	       text[length] != '\\')
		length++;
	return length;
}

void json_add_string(struct buf *buf, const char *text)
{
	buf_add_char(buf, '"');
	for (;;) {
		size_t length = plain_length(text);
		uint32_t point;

		buf_add(buf, text, length);
		text += length;
		if (!*text)
			break;
		length = text_decode(text, &point);
		if (!length)
			buf_printf(buf, "\\\\x%02x", (unsigned char)*text);
		else if (text_commands_terminal(point))
			buf_printf(buf, "\\u%04x", point);
		else if (point == '"' || point == '\\')
			buf_printf(buf, "\\%c", (char)point);
		else
			buf_add(buf, text, length);
		text += length ? length : 1;
	}
	buf_add_char(buf, '"');
}

static void add_comma(struct buf *buf)
{
	if (buf->size && !strchr("{[,:\n", buf->bytes[buf->size - 1]))
		buf_add_char(buf, ',');
}

void json_add_line(struct buf *buf)
{
	add_comma(buf);
	buf_add_char(buf, '\n');
}

void json_add_name(struct buf *buf, const char *name)
{
	add_comma(buf);
	if (!name)
		return;
	json_add_string(buf, name);
	buf_add_char(buf, ':');
}

void json_add_begin(struct buf *buf, const char *name, char bracket)
{
	json_add_name(buf, name);
	buf_add_char(buf, bracket);
}

void json_add_end(struct buf *buf, char bracket)
{
	buf_add_char(buf, bracket);
}

void json_add_text(struct buf *buf, const char *name, const char *text)
{
	json_add_name(buf, name);
	json_add_string(buf, text);
}

void json_add_text_or_null(struct buf *buf, const char *name, const char *text)
{
	if (text && *text)
		json_add_text(buf, name, text);
	else
		json_add_null(buf, name);
}

void json_add_number(struct buf *buf, const char *name, uint64_t number)
{
	json_add_name(buf, name);
	buf_add_decimal(buf, number);
}

void json_add_number_or_null(struct buf *buf, const char *name, uint64_t number)
{
	if (number)
		json_add_number(buf, name, number);
	else
		json_add_null(buf, name);
}

void json_add_real(struct buf *buf, const char *name, double value, int digits)
{
	char text[64], *exponent;

	if (!isfinite(value)) {
		json_add_null(buf, name);
		return;
	}
	snprintf(text, sizeof(text), "%.*g", digits, value);
	exponent = strchr(text, 'e');
	json_add_name(buf, name);
	if (exponent)
		buf_printf(buf, "%.*se%d", (int)(exponent - text), text, atoi(exponent + 1));
	else
		buf_printf(buf, "%s%s", text, strchr(text, '.') ? "" : ".0");
}

void json_add_fixed(struct buf *buf, const char *name, double value, int decimals)
{
	json_add_name(buf, name);
	if (!isfinite(value))
		buf_add_str(buf, "null");
	else if (decimals <= BUF_MAX_DECIMALS)
		buf_add_fixed(buf, value, (unsigned)decimals);
	else
		buf_printf(buf, "%.*f", decimals, value);
}

void json_add_bool(struct buf *buf, const char *name, bool value)
{
	json_add_name(buf, name);
	buf_add_str(buf, value ? "true" : "false");
}

void json_add_null(struct buf *buf, const char *name)
{
	json_add_name(buf, name);
	buf_add_str(buf, "null");
}

/* Between elements, or inside brackets around some. */
static void separate(struct buf *buf, char after, unsigned blanks, unsigned indent)
{
	if (indent)
		buf_printf(buf, "\n%*s", (int)blanks, "");
	else if (after == ',')
		buf_add_char(buf, ' ');
}

/* The length of the string at @text, with its quotes. */
static size_t string_length(const char *text)
{
	size_t length = 1;

	while (text[length] != '"')
		length += text[length] == '\\' ? 2 : 1;
	return length + 1;
}

void json_add_spread(struct buf *buf, const struct buf *compact, unsigned indent)
{
	unsigned depth = 0;

	for (const char *at = buf_text(compact); *at; at++) {
		if (*at == '"') {
			size_t length = string_length(at);

			buf_add(buf, at, length);
			at += length - 1;
		} else if (*at == '}' || *at == ']') {
			depth--;
			if (at[-1] != '{' && at[-1] != '[')
				separate(buf, *at, depth * indent, indent);
			buf_add_char(buf, *at);
		} else {
			buf_add_char(buf, *at);
			depth += *at == '{' || *at == '[';
			if (*at == ':')
				buf_add_char(buf, ' ');
			else if (strchr(",{[", *at) && at[1] != '}' && at[1] != ']')
				separate(buf, *at, depth * indent, indent);
		}
	}
}

void json_add_print(struct buf *compact, unsigned indent, FILE *out)
{
	struct buf spread = { 0 };

	json_add_spread(&spread, compact, indent);
	fprintf(out, "%s\n", buf_text(&spread));
	buf_done(&spread);
	buf_done(compact);
}
