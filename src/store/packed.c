/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns, not rows: samples next to each other in time share CPU, event, period and often task and
 * stack. So each field is a series of its own, and each takes the form that suits it.
 * Times take most of the room, and they are almost predictable: a timer ticks a whole number of
 * periods after the sample before. `steps` is that number (rounded; the sample's weight is the
 * period). The remainder is the lateness of the tick, one or two bytes. For an event that does not
 * count time this predicts nothing and costs little. Each remainder takes at least one byte, which
 * bounds what a reader allocates for a hostile block: never more samples than the block has bytes.
 */
#include "store/packed.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/xalloc.h"

/* ---- series ---- */

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

DEFINE_ORDER(compare_u64, uint64_t, COMPARE(*a, *b))

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

void packed_series_encode(const uint64_t *values, size_t count, struct buf *buf)
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
static inline uint64_t window_at(const uint8_t *bytes, size_t size, size_t bits)
{
	size_t at = bits / 8, left = size - at;
	uint64_t window = 0;

	/* A copy of a constant size is one instruction. */
	if (left >= sizeof(window))
		memcpy(&window, bytes + at, sizeof(window));
	else
		memcpy(&window, bytes + at, left);
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

int packed_series_decode(struct reader *reader, uint64_t *ret_values, size_t count)
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

int packed_series_skip(struct reader *reader, size_t count)
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

/* ---- blocks ---- */

/* The fields in the order of the file. */
#define FIELDS(X) X(cpu) X(event) X(mode) X(context) X(task) X(stack) X(weight)

/* When each event last ticked on the current CPU. */
struct ticks {
	uint64_t second_ns;
	int cpu; /* -1: none yet */
	uint64_t last_ns[UINT8_MAX + 1];
};

static struct ticks ticks_make(uint64_t second)
{
	return (struct ticks){ .second_ns = second * NS_PER_S, .cpu = -1 };
}

/* Time of the previous sample of the same CPU and event, or the start of the second. */
static uint64_t *ticks_last(struct ticks *ticks, const struct sample *sample)
{
	if (ticks->cpu != sample->cpu) {
		for (size_t i = 0; i <= UINT8_MAX; i++)
			ticks->last_ns[i] = ticks->second_ns;
		ticks->cpu = sample->cpu;
	}
	return &ticks->last_ns[sample->event];
}

int packed_compare(const void *a, const void *b)
{
	const struct sample *left = a, *right = b;
	uint64_t left_second = left->time_ns / NS_PER_S, right_second = right->time_ns / NS_PER_S;

	return COMPARE(left_second, right_second) ?: COMPARE(left->cpu, right->cpu) ?:
	       COMPARE(left->time_ns, right->time_ns);
}

static uint64_t steps_between(uint64_t earlier, const struct sample *sample)
{
	uint64_t elapsed = sample->time_ns - earlier;

	if (!sample->weight || sample->weight > NS_PER_S)
		return 0;
	return (elapsed + sample->weight / 2) / sample->weight;
}

static void encode_times(const struct sample *samples, size_t count, uint64_t second,
			 struct buf *buf)
{
	_cleanup_free_ uint64_t *steps = xmalloc(count * sizeof(*steps));
	struct ticks ticks = ticks_make(second);

	for (size_t i = 0; i < count; i++) {
		uint64_t *last = ticks_last(&ticks, &samples[i]);

		steps[i] = steps_between(*last, &samples[i]);
		*last = samples[i].time_ns;
	}
	packed_series_encode(steps, count, buf);
	ticks = ticks_make(second);
	for (size_t i = 0; i < count; i++) {
		uint64_t *last = ticks_last(&ticks, &samples[i]);
		uint64_t expected = *last + steps[i] * samples[i].weight;

		buf_add_zigzag(buf, (int64_t)(samples[i].time_ns - expected));
		*last = samples[i].time_ns;
	}
}

void packed_encode(const struct sample *samples, size_t count, uint64_t second, struct buf *buf)
{
	_cleanup_free_ uint64_t *values = xmalloc(count * sizeof(*values));

	buf_add_uleb(buf, count);
#define ENCODE_FIELD(field)                   \
	for (size_t i = 0; i < count; i++)    \
		values[i] = samples[i].field; \
	packed_series_encode(values, count, buf);
	FIELDS(ENCODE_FIELD)
#undef ENCODE_FIELD
	encode_times(samples, count, second, buf);
}

/* Refuses values that do not fit their field: they would be read as others. */
#define DEFINE_DECODE(field)                                                                   \
	static int decode_##field(struct reader *reader, struct sample *samples, size_t count, \
				  uint64_t *values)                                            \
	{                                                                                      \
		uint64_t beyond = 0;                                                           \
		int rc = packed_series_decode(reader, values, count);                          \
                                                                                               \
		for (size_t i = 0; !rc && i < count; i++) {                                    \
			samples[i].field = (typeof(samples[i].field))values[i];                \
			beyond |= samples[i].field ^ values[i];                                \
		}                                                                              \
		return beyond ? -EBADMSG : rc;                                                 \
	}
FIELDS(DEFINE_DECODE)
#undef DEFINE_DECODE

/* The enum sample_field of each field; 0: always wanted. */
enum {
	WANTED_cpu = SAMPLE_CPU,
	WANTED_event = 0,
	WANTED_mode = SAMPLE_MODE,
	WANTED_context = SAMPLE_CONTEXT,
	WANTED_task = SAMPLE_TASK,
	WANTED_stack = SAMPLE_STACK,
	WANTED_weight = 0,
};

static int decode_fields(struct reader *reader, struct sample *samples, size_t count,
			 unsigned fields, uint64_t *values)
{
	int rc = 0;

	/* Times are encoded per CPU. */
	fields |= fields & SAMPLE_TIME ? SAMPLE_CPU : 0;
#define DECODE_FIELD(field)                                                   \
	if (!rc)                                                              \
		rc = !WANTED_##field || (fields & WANTED_##field)             \
			     ? decode_##field(reader, samples, count, values) \
			     : packed_series_skip(reader, count);
	FIELDS(DECODE_FIELD)
#undef DECODE_FIELD
	return rc;
}

static int decode_times(struct reader *reader, struct sample *samples, size_t count,
			uint64_t second, uint64_t *steps)
{
	struct ticks ticks = ticks_make(second);
	int rc = packed_series_decode(reader, steps, count);

	for (size_t i = 0; !rc && i < count; i++) {
		uint64_t *last = ticks_last(&ticks, &samples[i]);
		uint64_t expected = *last + steps[i] * samples[i].weight;

		samples[i].time_ns = expected + (uint64_t)reader_zigzag(reader);
		if (reader->bad || samples[i].time_ns / NS_PER_S != second ||
		    (i && packed_compare(&samples[i - 1], &samples[i]) > 0))
			rc = -EBADMSG;
		*last = samples[i].time_ns;
	}
	return rc;
}

/* Skips the times, which are the last part of a block. */
static void set_times(struct sample *samples, size_t count, uint64_t second)
{
	for (size_t i = 0; i < count; i++)
		samples[i].time_ns = second * NS_PER_S;
}

int packed_decode(const void *bytes, size_t size, uint64_t second, unsigned fields,
		  struct packed_samples *ret_samples)
{
	struct reader reader = reader_make(bytes, size);
	uint64_t count = reader_uleb(&reader);
	_cleanup_free_ uint64_t *values = NULL;
	int rc;

	ret_samples->rows.count = 0;
	if (reader.bad || !count || count > PACKED_MAX_SAMPLES || count > reader_left(&reader) ||
	    second > UINT64_MAX / NS_PER_S - 1)
		return -EBADMSG;
	values = xmalloc(count * sizeof(*values));
	vec_reserve(&ret_samples->rows, count);
	memset(ret_samples->rows.items, 0, count * sizeof(*ret_samples->rows.items));
	rc = decode_fields(&reader, ret_samples->rows.items, count, fields, values);
	if (!rc && fields & SAMPLE_TIME)
		rc = decode_times(&reader, ret_samples->rows.items, count, second, values);
	else if (!rc)
		set_times(ret_samples->rows.items, count, second);
	if (!rc && fields & SAMPLE_TIME && reader_left(&reader))
		rc = -EBADMSG;
	if (!rc)
		ret_samples->rows.count = count;
	return rc;
}
