/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/perf_map.h"

#include <string.h>

#include "base/reader.h"

/* -1: none. */
static int digit_of(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static uint8_t peek(const struct reader *reader)
{
	return reader_left(reader) ? *reader->at : 0;
}

static bool is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static void skip_blanks(struct reader *reader)
{
	while (is_blank(peek(reader)))
		reader_u8(reader);
}

static void skip_prefix(struct reader *reader)
{
	if (reader_left(reader) > 2 && reader->at[0] == '0' && (reader->at[1] | 0x20) == 'x')
		reader_bytes(reader, 2);
}

/* Reads a number of up to 64 bits, with any number of zeros before it, and the blanks after it. */
static bool take_number(struct reader *reader, uint64_t *ret_number)
{
	bool has_digits = false;
	uint64_t number = 0;

	skip_blanks(reader);
	skip_prefix(reader);
	while (digit_of(peek(reader)) >= 0 && number >> 60 == 0) {
		number = number << 4 | (uint64_t)digit_of(reader_u8(reader));
		has_digits = true;
	}
	*ret_number = number;
	if (!has_digits || !is_blank(peek(reader)))
		return false;
	skip_blanks(reader);
	return true;
}

static bool parse_line(struct reader *reader, struct perf_map_line *line)
{
	if (!take_number(reader, &line->start) || !take_number(reader, &line->size))
		return false;
	line->name = (const char *)reader->at;
	line->name_length = strnlen(line->name, reader_left(reader));
	while (line->name_length && is_blank((uint8_t)line->name[line->name_length - 1]))
		line->name_length--;
	return line->name_length > 0;
}

size_t perf_map_parse(const char *text, size_t size, bool whole,
		      void (*take)(void *context, const struct perf_map_line *line), void *context)
{
	struct reader reader = reader_make(text, size);

	while (reader_left(&reader)) {
		const uint8_t *newline = memchr(reader.at, '\n', reader_left(&reader));
		size_t length = newline ? (size_t)(newline - reader.at) : reader_left(&reader);
		struct perf_map_line line;
		struct reader rest;

		if (!newline && !whole)
			break;
		rest = reader_sub(&reader, length);
		if (parse_line(&rest, &line))
			take(context, &line);
		if (newline)
			reader_u8(&reader);
	}
	return size - reader_left(&reader);
}
