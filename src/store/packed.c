/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns, not rows: samples next to each other in time share CPU, event, period and often task and
 * stack. So each field is a series of its own (series.h), and each takes the form that suits it.
 * Times take most of the room, and they are almost predictable: a timer ticks a whole number of
 * periods after the sample before. `steps` is that number (rounded; the sample's weight is the
 * period). The remainder is the lateness of the tick, one or two bytes. For an event that does not
 * count time this predicts nothing and costs little. Each remainder takes at least one byte, which
 * bounds what a reader allocates for a hostile block: never more samples than the block has bytes.
 */
#include "store/packed.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/reader.h"
#include "base/xalloc.h"
#include "store/series.h"

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

	if (left_second != right_second)
		return left_second < right_second ? -1 : 1;
	if (left->cpu != right->cpu)
		return left->cpu < right->cpu ? -1 : 1;
	return left->time_ns < right->time_ns ? -1 : left->time_ns > right->time_ns;
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
	series_encode(steps, count, buf);
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
	series_encode(values, count, buf);
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
		int rc = series_decode(reader, values, count);                                 \
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
			     : series_skip(reader, count);
	FIELDS(DECODE_FIELD)
#undef DECODE_FIELD
	return rc;
}

static int decode_times(struct reader *reader, struct sample *samples, size_t count,
			uint64_t second, uint64_t *steps)
{
	struct ticks ticks = ticks_make(second);
	int rc = series_decode(reader, steps, count);

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
