/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/packed.h"

#include <errno.h>

#include "store/fixture.h"

static void round_trip(const uint64_t *values, size_t count, size_t most_bytes)
{
	struct buf buf = { 0 };
	uint64_t *back = calloc(count, sizeof(*back));
	struct reader reader;

	packed_series_encode(values, count, &buf);
	assert_true(buf.size <= most_bytes);
	reader = reader_make(buf.bytes, buf.size);
	assert_int_equal(packed_series_decode(&reader, back, count), 0);
	assert_int_equal(reader_left(&reader), 0);
	assert_memory_equal(values, back, count * sizeof(*values));
	reader = reader_make(buf.bytes, buf.size);
	assert_int_equal(packed_series_skip(&reader, count), 0);
	assert_int_equal(reader_left(&reader), 0);
	reader = reader_make(buf.bytes, buf.size - 1);
	assert_true(packed_series_skip(&reader, count) < 0);
	free(back);
	buf_done(&buf);
}

static void test_forms(void **state)
{
	uint64_t values[1000];

	/* form, value, length */
	memset(values, 0, sizeof(values));
	round_trip(values, 1000, 1 + 1 + 2);
	/* two values, no runs: form, 2, values, one bit each */
	for (size_t i = 0; i < 1000; i++)
		values[i] = hash_u64(i) & 1 ? 70000 : 80000;
	round_trip(values, 1000, 1 + 1 + 3 + 2 + 125);
	/* all different and of one byte each: plain is as good as it gets */
	for (size_t i = 0; i < 100; i++)
		values[i] = i * 37 % 101;
	round_trip(values, 100, 1 + 100);
}

static void test_extremes(void **state)
{
	const uint64_t values[] = { UINT64_MAX, 0, UINT64_MAX, 1ULL << 63, 127, 128 };

	for (size_t count = 1; count <= sizeof(values) / sizeof(values[0]); count++)
		round_trip(values, count, 64);
}

static void test_random(void **state)
{
	uint64_t random = 1;

	for (int round = 0; round < 500; round++) {
		size_t count = 1 + fixture_random(&random) % 300;
		uint64_t range = 1ULL << fixture_random(&random) % 64;
		unsigned run = 1 + fixture_random(&random) % 9;
		uint64_t *values = calloc(count, sizeof(*values));

		for (size_t i = 0; i < count; i++)
			values[i] = i % run ? values[i - 1] : fixture_random(&random) % range;
		round_trip(values, count, 1 + count * 10);
		free(values);
	}
}

static void refused(const char *bytes, size_t size, size_t count)
{
	uint64_t values[64];
	struct reader reader = reader_make(bytes, size);

	assert_true(count <= 64);
	assert_int_equal(packed_series_decode(&reader, values, count), -EBADMSG);
}

static void test_damage(void **state)
{
	refused("", 0, 1);
	refused("\x03\x01", 2, 1);		   /* no such form */
	refused("\x00\x01", 2, 2);		   /* plain, cut */
	refused("\x01\x05\x03", 3, 2);		   /* a run too long */
	refused("\x01\x05\x00\x05\x02", 5, 2);	   /* an empty run */
	refused("\x02\x00", 2, 1);		   /* an empty dictionary */
	refused("\x02\x03\x01\x01\x01\x00", 6, 2); /* more values than places */
	refused("\x02\x02\x01\x00\x00", 5, 2);	   /* not ascending */
	refused("\x02\x03\x01\x01\x01\xff", 6, 4); /* a place after the end */
	refused("\x02\x02\x01\x01", 4, 2);	   /* no places */
	refused("\x02\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 14, 2); /* overflow */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
