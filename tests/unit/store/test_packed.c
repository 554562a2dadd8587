/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/packed.h"

#include <errno.h>

#include "store/fixture.h"

/* One second of samples in the order of the file. */
static struct sample *make_second(size_t count)
{
	struct sample *samples = calloc(count, sizeof(*samples));

	for (size_t i = 0; i < count; i++)
		samples[i] = fixture_sample(i);
	qsort(samples, count, sizeof(*samples), packed_compare);
	return samples;
}

static void same_sample(const struct sample *a, const struct sample *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->weight, b->weight);
	assert_int_equal(a->task, b->task);
	assert_int_equal(a->stack, b->stack);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->event, b->event);
	assert_int_equal(a->mode, b->mode);
	assert_int_equal(a->context, b->context);
}

static size_t round_trip(const struct sample *samples, size_t count)
{
	uint64_t second = samples->time_ns / NS_PER_S;
	struct packed_samples back = { 0 };
	struct buf buf = { 0 };
	size_t size;

	packed_encode(samples, count, second, &buf);
	size = buf.size;
	assert_int_equal(packed_decode(buf.bytes, buf.size, second, SAMPLE_ALL, &back), 0);
	assert_int_equal(back.rows.count, count);
	for (size_t i = 0; i < count; i++)
		same_sample(&samples[i], &back.rows.items[i]);
	/* One byte less, one more, or another second is no block. */
	assert_int_equal(packed_decode(buf.bytes, buf.size - 1, second, SAMPLE_ALL, &back),
			 -EBADMSG);
	assert_int_equal(back.rows.count, 0);
	buf_add_char(&buf, '\0');
	assert_int_equal(packed_decode(buf.bytes, buf.size, second, SAMPLE_ALL, &back), -EBADMSG);
	vec_free(&back.rows);
	buf_done(&buf);
	return size;
}

static void test_second(void **state)
{
	struct sample *samples = make_second(2900);

	for (size_t count = 1; count <= 2900; count = count * 3 / 2 + 1)
		round_trip(samples, count);
	/* The fixture is noisier than a machine: 20 us of noise on the timer, 40 stacks at random.
	 */
	assert_true(round_trip(samples, 2900) <= 2900 * 5);
	free(samples);
}

static void test_extremes(void **state)
{
	struct sample samples[] = {
		{ .time_ns = 0 },
		{ .time_ns = NS_PER_S - 1,
		  .weight = UINT64_MAX,
		  .task = UINT32_MAX,
		  .stack = UINT32_MAX,
		  .cpu = UINT16_MAX,
		  .event = UINT8_MAX,
		  .mode = UINT8_MAX,
		  .context = UINT8_MAX },
	};

	round_trip(samples, 1);
	round_trip(samples, 2);
	samples[0].weight = 1;
	samples[1].weight = NS_PER_S;
	round_trip(samples, 2);
}

static void test_order(void **state)
{
	struct sample samples[] = {
		{ .time_ns = 3 * NS_PER_S + 5, .cpu = 1 },
		{ .time_ns = 3 * NS_PER_S + 7, .cpu = 0 },
		{ .time_ns = 2 * NS_PER_S, .cpu = 9 },
		{ .time_ns = 3 * NS_PER_S + 6, .cpu = 0 },
	};

	qsort(samples, 4, sizeof(samples[0]), packed_compare);
	assert_int_equal(samples[0].cpu, 9);
	assert_int_equal(samples[1].time_ns, 3 * NS_PER_S + 6);
	assert_int_equal(samples[2].time_ns, 3 * NS_PER_S + 7);
	assert_int_equal(samples[3].cpu, 1);
}

/* A timer that ticks early or late by up to 8 us, and misses ticks, takes two bytes a sample. */
static void test_ticks_are_small(void **state)
{
	struct sample samples[500];
	uint64_t random = 5, tick = 1;
	struct buf buf = { 0 };

	for (size_t i = 0; i < 500; i++, tick += 1 + i % 50 / 49)
		samples[i] = (struct sample){ .time_ns = tick * NS_PER_MS - 4000 +
							 fixture_random(&random) % 8000,
					      .weight = NS_PER_MS };
	packed_encode(samples, 500, 0, &buf);
	assert_true(buf.size < 500 * 2 + 100);
	buf_done(&buf);
	round_trip(samples, 500);
}

/* A few bytes cannot ask for room for many samples. */
static void test_few_bytes_few_samples(void **state)
{
	static const uint8_t bytes[] = { 0x80, 0x80, 0x10, 1, 0, 0x80, 0x80, 0x10 };
	struct packed_samples samples = { 0 };

	assert_int_equal(packed_decode(bytes, sizeof(bytes), 0, SAMPLE_ALL, &samples), -EBADMSG);
	assert_int_equal(samples.rows.capacity, 0);
}

/* Written by hand from prospect-profile(5): what the page says is what the decoder reads. */
static void test_documented_bytes(void **state)
{
	static const uint8_t bytes[] = {
		3,				  /* samples */
		1,  0,	  2,	1,    1,	  /* cpu: 0 twice, then 1 */
		1,  0,	  3,			  /* event */
		2,  2,	  0,	1,    0x05,	  /* mode: 1 0 1, a bit each from the lowest */
		1,  0,	  3,			  /* context */
		0,  5,	  6,	7,		  /* task, plain */
		2,  2,	  9,	0xac, 0x02, 0x02, /* stack: 9 and 9 + 300; places 0 1 0 */
		1,  0xe8, 0x07, 3,		  /* weight: 1000, three times */
		0,  0,	  2,	1,		  /* steps */
		20, 1,	  0,			  /* late by 10, -1, 0 */
	};
	static const struct sample expected[] = {
		{ 7 * NS_PER_S + 10, 1000, 5, 9, 0, 0, 1, 0 },
		{ 7 * NS_PER_S + 2009, 1000, 6, 309, 0, 0, 0, 0 },
		{ 7 * NS_PER_S + 1000, 1000, 7, 9, 1, 0, 1, 0 },
	};
	struct packed_samples samples = { 0 };

	assert_int_equal(packed_decode(bytes, sizeof(bytes), 7, SAMPLE_ALL, &samples), 0);
	assert_int_equal(samples.rows.count, 3);
	for (size_t i = 0; i < 3; i++)
		same_sample(&samples.rows.items[i], &expected[i]);
	/* The same bytes in other seconds are other times; the last second there is has no room. */
	assert_int_equal(
		packed_decode(bytes, sizeof(bytes), UINT64_MAX / NS_PER_S, SAMPLE_ALL, &samples),
		-EBADMSG);
	vec_free(&samples.rows);
}

static void refused_sample(struct sample sample, uint64_t second)
{
	struct packed_samples back = { 0 };
	struct buf buf = { 0 };

	packed_encode(&sample, 1, second, &buf);
	assert_int_equal(packed_decode(buf.bytes, buf.size, second, SAMPLE_ALL, &back), -EBADMSG);
	vec_free(&back.rows);
	buf_done(&buf);
}

static void test_time_outside(void **state)
{
	refused_sample((struct sample){ .time_ns = 4 * NS_PER_S }, 3);
	refused_sample((struct sample){ .time_ns = 3 * NS_PER_S - 1 }, 3);
}

static void test_time_backwards(void **state)
{
	const struct sample samples[] = { { .time_ns = 9 }, { .time_ns = 8 } };
	struct packed_samples back = { 0 };
	struct buf buf = { 0 };

	packed_encode(samples, 2, 0, &buf);
	assert_int_equal(packed_decode(buf.bytes, buf.size, 0, SAMPLE_ALL, &back), -EBADMSG);
	vec_free(&back.rows);
	buf_done(&buf);
}

/* A number too large for its field must not come back as another. */
static void test_field_too_large(void **state)
{
	uint8_t bytes[] = { 1, 0, 0xff, 0xff, 0x03, /* cpu 65535 */
			    1, 0, 1,	1,    0,    1, 1, 0, 1, 1, 0,
			    1, 1, 0,	1,    1,    0, 1, 1, 0, 1, 0 };
	struct packed_samples samples = { 0 };

	assert_int_equal(packed_decode(bytes, sizeof(bytes), 0, SAMPLE_ALL, &samples), 0);
	assert_int_equal(samples.rows.items[0].cpu, 65535);
	bytes[4] = 0x07;
	assert_int_equal(packed_decode(bytes, sizeof(bytes), 0, SAMPLE_ALL, &samples), -EBADMSG);
	vec_free(&samples.rows);
}

/* Any change to a block gives an error or samples that keep the promises; ASan watches. */
static void test_damage(void **state)
{
	struct sample *original = make_second(300);
	struct packed_samples samples = { 0 };
	struct buf buf = { 0 };
	uint64_t random = 3;

	packed_encode(original, 300, FIXTURE_START_S, &buf);
	for (int round = 0; round < 20000; round++) {
		uint8_t *bytes = malloc(buf.size);
		size_t size = round % 3 ? buf.size : fixture_random(&random) % buf.size;

		memcpy(bytes, buf.bytes, buf.size);
		for (int i = 0; i <= round % 4; i++)
			bytes[fixture_random(&random) % buf.size] =
				(uint8_t)fixture_random(&random);
		if (packed_decode(bytes, size, FIXTURE_START_S, SAMPLE_ALL, &samples) == 0) {
			assert_true(samples.rows.count <= size);
			for (size_t i = 0; i < samples.rows.count; i++)
				assert_int_equal(samples.rows.items[i].time_ns / NS_PER_S,
						 FIXTURE_START_S);
		}
		free(bytes);
	}
	vec_free(&samples.rows);
	buf_done(&buf);
	free(original);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_ticks_are_small),
		cmocka_unit_test(test_few_bytes_few_samples),
		cmocka_unit_test(test_documented_bytes),
		cmocka_unit_test(test_time_outside),
		cmocka_unit_test(test_time_backwards),
		cmocka_unit_test(test_field_too_large),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
