/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/series.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum series_form {
	SERIES_PLAIN,
	SERIES_RUNS,
	SERIES_DICTIONARY,
};

/* Runs that are this much smaller than one byte a value are taken at once. The dictionary's sort is
 * the expensive part of the encoder. */
enum { RUNS_GOOD_ENOUGH = 8 };

struct distinct {
	uint64_t *values; /* ascending */
	size_t count;
};

static size_t uleb_size(uint64_t value)
{
	size_t bits = 64 - (size_t)__builtin_clzll(value | 1);

	return (bits + 6) / 7;
}

static unsigned place_bits(size_t distinct)
{
	return distinct < 2 ? 0 : 64 - (unsigned)__builtin_clzll(distinct - 1);
}

static size_t packed_bytes(size_t count, unsigned bits)
{
	return (count * bits + 7) / 8;
}

static size_t run_length(const uint64_t *values, size_t count)
{
	size_t length = 1;

	while (length < count && values[length] == values[0])
		length++;
	return length;
}

static size_t plain_size(const uint64_t *values, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += uleb_size(values[i]);
	return size;
}

static size_t runs_size(const uint64_t *values, size_t count)
{
	size_t size = 0;

	for (size_t i = 0, length; i < count; i += length) {
		length = run_length(values + i, count - i);
		size += uleb_size(values[i]) + uleb_size(length);
	}
	return size;
}

static size_t dictionary_size(const struct distinct *distinct, size_t count)
{
	size_t size = uleb_size(distinct->count);
	uint64_t previous = 0;

	for (size_t i = 0; i < distinct->count; i++) {
		size += uleb_size(distinct->values[i] - previous);
		previous = distinct->values[i];
	}
	return size + packed_bytes(count, place_bits(distinct->count));
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* The caller frees ret->values. */
static void find_distinct(const uint64_t *values, size_t count, struct distinct *ret)
{
	ret->values = xmemdup(values, count * sizeof(*values));
	ret->count = 0;
	qsort(ret->values, count, sizeof(*values), compare_u64);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || ret->values[i] != ret->values[ret->count - 1])
			ret->values[ret->count++] = ret->values[i];
	}
}

static void encode_plain(const uint64_t *values, size_t count, struct buf *buf)
{
	buf_add_char(buf, SERIES_PLAIN);
	for (size_t i = 0; i < count; i++)
		buf_add_uleb(buf, values[i]);
}

static void encode_runs(const uint64_t *values, size_t count, struct buf *buf)
{
	buf_add_char(buf, SERIES_RUNS);
	for (size_t i = 0, length; i < count; i += length) {
		length = run_length(values + i, count - i);
		buf_add_uleb(buf, values[i]);
		buf_add_uleb(buf, length);
	}
}

static size_t place_of(const struct distinct *distinct, uint64_t value)
{
	const uint64_t *found =
		bsearch(&value, distinct->values, distinct->count, sizeof(value), compare_u64);

	return (size_t)(found - distinct->values);
}

static void encode_places(const struct distinct *distinct, const uint64_t *values, size_t count,
			  struct buf *buf)
{
	unsigned bits = place_bits(distinct->count), held = 0;
	uint64_t window = 0;

	for (size_t i = 0; bits && i < count; i++) {
		window |= (uint64_t)place_of(distinct, values[i]) << held;
		for (held += bits; held >= 8; held -= 8) {
			buf_add_char(buf, (char)(window & 0xff));
			window >>= 8;
		}
	}
	if (held)
		buf_add_char(buf, (char)window);
}

static void encode_dictionary(const struct distinct *distinct, const uint64_t *values, size_t count,
			      struct buf *buf)
{
	uint64_t previous = 0;

	buf_add_char(buf, SERIES_DICTIONARY);
	buf_add_uleb(buf, distinct->count);
	for (size_t i = 0; i < distinct->count; i++) {
		buf_add_uleb(buf, distinct->values[i] - previous);
		previous = distinct->values[i];
	}
	encode_places(distinct, values, count, buf);
}

void series_encode(const uint64_t *values, size_t count, struct buf *buf)
{
	size_t runs = runs_size(values, count);
	size_t plain = plain_size(values, count);
	struct distinct distinct = { 0 };

	if (runs <= count / RUNS_GOOD_ENOUGH || runs <= 4) {
		encode_runs(values, count, buf);
		return;
	}
	find_distinct(values, count, &distinct);
	if (dictionary_size(&distinct, count) < (runs < plain ? runs : plain))
		encode_dictionary(&distinct, values, count, buf);
	else if (runs < plain)
		encode_runs(values, count, buf);
	else
		encode_plain(values, count, buf);
	free(distinct.values);
}

static int decode_plain(struct reader *reader, uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count && !reader->bad; i++)
		values[i] = reader_uleb(reader);
	return reader->bad ? -EBADMSG : 0;
}

static int decode_runs(struct reader *reader, uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count;) {
		uint64_t value = reader_uleb(reader);
		uint64_t length = reader_uleb(reader);

		if (reader->bad || !length || length > count - i)
			return -EBADMSG;
		for (; length; length--)
			values[i++] = value;
	}
	return 0;
}

static int decode_distinct(struct reader *reader, struct distinct *distinct)
{
	uint64_t previous = 0;

	for (size_t i = 0; i < distinct->count; i++) {
		uint64_t step = reader_uleb(reader);

		if (reader->bad || (i && !step) || step > UINT64_MAX - previous)
			return -EBADMSG;
		previous += step;
		distinct->values[i] = previous;
	}
	return 0;
}

/* Reads eight bytes from bit @bits of @bytes, which has @size bytes; 0 beyond the end. */
static uint64_t window_at(const uint8_t *bytes, size_t size, size_t bits)
{
	size_t at = bits / 8, left = size - at;
	uint64_t window = 0;

	memcpy(&window, bytes + at, left < sizeof(window) ? left : sizeof(window));
	return le64toh(window) >> bits % 8;
}

/* A place has at most 32 bits (a block has at most PACKED_MAX_SAMPLES), so the window always holds
 * a whole one. */
static int decode_places(struct reader *reader, const struct distinct *distinct, uint64_t *values,
			 size_t count)
{
	unsigned bits = place_bits(distinct->count);
	uint64_t mask = (1ULL << bits) - 1;
	size_t size = packed_bytes(count, bits);
	const uint8_t *bytes = reader_bytes(reader, size);

	if (!bytes || bits > 32)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		uint64_t place = window_at(bytes, size, i * bits) & mask;

		if (place >= distinct->count)
			return -EBADMSG;
		values[i] = distinct->values[place];
	}
	return 0;
}

static int decode_dictionary(struct reader *reader, uint64_t *values, size_t count)
{
	uint64_t size = reader_uleb(reader);
	struct distinct distinct;
	int rc;

	if (reader->bad || !size || size > count)
		return -EBADMSG;
	distinct.count = (size_t)size;
	distinct.values = xmalloc(distinct.count * sizeof(*distinct.values));
	rc = decode_distinct(reader, &distinct);
	if (!rc)
		rc = decode_places(reader, &distinct, values, count);
	free(distinct.values);
	return rc;
}

int series_decode(struct reader *reader, uint64_t *ret_values, size_t count)
{
	switch (reader_u8(reader)) {
	case SERIES_PLAIN:
		return decode_plain(reader, ret_values, count);
	case SERIES_RUNS:
		return decode_runs(reader, ret_values, count);
	case SERIES_DICTIONARY:
		return decode_dictionary(reader, ret_values, count);
	default:
		return -EBADMSG;
	}
}

static int skip_ulebs(struct reader *reader, size_t count)
{
	for (size_t i = 0; i < count && !reader->bad; i++)
		reader_uleb(reader);
	return reader->bad ? -EBADMSG : 0;
}

static int skip_runs(struct reader *reader, size_t count)
{
	for (size_t i = 0; i < count;) {
		uint64_t length = (reader_uleb(reader), reader_uleb(reader));

		if (reader->bad || !length || length > count - i)
			return -EBADMSG;
		i += length;
	}
	return 0;
}

static int skip_dictionary(struct reader *reader, size_t count)
{
	uint64_t size = reader_uleb(reader);

	if (reader->bad || !size || size > count || skip_ulebs(reader, (size_t)size) < 0)
		return -EBADMSG;
	reader_bytes(reader, packed_bytes(count, place_bits((size_t)size)));
	return reader->bad ? -EBADMSG : 0;
}

int series_skip(struct reader *reader, size_t count)
{
	switch (reader_u8(reader)) {
	case SERIES_PLAIN:
		return skip_ulebs(reader, count);
	case SERIES_RUNS:
		return skip_runs(reader, count);
	case SERIES_DICTIONARY:
		return skip_dictionary(reader, count);
	default:
		return -EBADMSG;
	}
}
