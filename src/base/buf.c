/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buf.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Below this number, a multiplication by the unit keeps all decimals right. */
static const double max_fixed = 1e9;

/* A number this close to the middle of two decimals is left to printf, because the multiplication
 * may have moved it across. Its error is at most 2^-53 of 1e13, a tenth of this. */
static const double max_doubt = 0.01;

static void reserve(struct buf *buf, size_t more)
{
	if (buf->size + more >= buf->capacity)
		buf->bytes = vec_grow(buf->bytes, &buf->capacity, buf->size + more + 1, 1);
}

void buf_add(struct buf *buf, const void *bytes, size_t size)
{
	reserve(buf, size);
	if (size)
		memcpy(buf->bytes + buf->size, bytes, size);
	buf->size += size;
	buf->bytes[buf->size] = '\0';
}

void buf_add_str(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text));
}

void buf_add_char(struct buf *buf, char character)
{
	reserve(buf, 1);
	buf->bytes[buf->size++] = character;
	buf->bytes[buf->size] = '\0';
}

void buf_add_decimal(struct buf *buf, uint64_t number)
{
	char digits[20]; /* of 2^64 - 1 */
	size_t first = sizeof(digits);

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	buf_add(buf, digits + first, sizeof(digits) - first);
}

/* The number in units of the last decimal. False: printf must write it. */
static bool round_fixed(double number, double units, uint64_t *ret_rounded)
{
	double scaled = number * units, rest;
	uint64_t whole;

	if (!(number < max_fixed) || signbit(number))
		return false;
	whole = (uint64_t)scaled;
	rest = scaled - (double)whole;
	*ret_rounded = whole + (rest > 0.5);
	return fabs(rest - 0.5) > max_doubt;
}

void buf_add_fixed(struct buf *buf, double number, unsigned decimals)
{
	static const uint64_t units[BUF_MAX_DECIMALS + 1] = { 1, 10, 100, 1000, 10000 };
	uint64_t rounded, unit = units[decimals];

	if (!round_fixed(number, (double)unit, &rounded)) {
		buf_printf(buf, "%.*f", (int)decimals, number);
		return;
	}
	buf_add_decimal(buf, rounded / unit);
	if (decimals)
		buf_add_char(buf, '.');
	for (unit /= 10; unit > 0; unit /= 10)
		buf_add_char(buf, (char)('0' + rounded / unit % 10));
}

/* Writes into the free space, and once more if that is too small. */
void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args, again;
	size_t room;
	int length;

	va_start(args, format);
	va_copy(again, args);
	reserve(buf, 0);
	room = buf->capacity - buf->size;
	length = vsnprintf(buf->bytes + buf->size, room, format, args);
	va_end(args);
	if (length > 0 && (size_t)length >= room) {
		reserve(buf, (size_t)length);
		vsnprintf(buf->bytes + buf->size, (size_t)length + 1, format, again);
	}
	va_end(again);
	if (length > 0)
		buf->size += (size_t)length;
	else
		buf->bytes[buf->size] = '\0';
}

void buf_add_uleb(struct buf *buf, uint64_t value)
{
	unsigned char bytes[10];
	size_t count = 0;

	do {
		bytes[count] = value & 0x7f;
		value >>= 7;
		if (value)
			bytes[count] |= 0x80;
		count++;
	} while (value);
	buf_add(buf, bytes, count);
}

void buf_add_zigzag(struct buf *buf, int64_t value)
{
	buf_add_uleb(buf, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

const char *buf_text(const struct buf *buf)
{
	return buf->bytes ? buf->bytes : "";
}

void buf_clear(struct buf *buf)
{
	buf->size = 0;
	if (buf->bytes)
		buf->bytes[0] = '\0';
}

void buf_done(struct buf *buf)
{
	free(buf->bytes);
	*buf = (struct buf){ 0 };
}
