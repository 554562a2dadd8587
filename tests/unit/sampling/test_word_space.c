/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/word_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEGMENT = 1024, SEGMENTS = 8, ROUNDS = 20000, HELD = 64 };

static struct word_space new_space(void)
{
	return (struct word_space){ .limit = SEGMENT * SEGMENTS, .segment = SEGMENT };
}

static void grows_by_segments(void **state)
{
	struct word_space space = new_space();
	struct word_extent extent;

	(void)state;
	assert_true(word_space_take(&space, 10, false, &extent));
	assert_int_equal(extent.start, 0);
	assert_int_equal(extent.words, 16);
	assert_int_equal(space.end, SEGMENT);
	assert_true(word_space_take(&space, 3 * SEGMENT, false, &extent));
	assert_int_equal(extent.words, 3 * SEGMENT);
	assert_true(space.end <= 4 * SEGMENT);
	assert_false(word_space_take(&space, SEGMENTS * SEGMENT, false, &extent));
	assert_false(word_space_take(&space, UINT32_MAX, false, &extent));
	word_space_done(&space);
}

static void what_is_whole_lies_in_one_segment(void **state)
{
	struct word_space space = new_space();
	struct word_extent a, b, c;

	(void)state;
	assert_true(word_space_take(&space, 600, true, &a));
	assert_true(word_space_take(&space, 600, true, &b));
	assert_int_equal(b.start, SEGMENT);
	assert_true(word_space_take(&space, 400, true, &c)); /* the room that was left */
	assert_int_equal(c.start, 600);
	word_space_done(&space);
}

static void neighbours_join(void **state)
{
	struct word_space space = new_space();
	struct word_extent extents[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_true(word_space_take(&space, 256, false, &extents[i]));
	assert_int_equal(space.holes.count, 0);
	word_space_give(&space, extents[0]);
	word_space_give(&space, extents[2]);
	assert_int_equal(space.holes.count, 2);
	word_space_give(&space, extents[1]);
	assert_int_equal(space.holes.count, 1);
	word_space_give(&space, extents[3]);
	assert_int_equal(space.holes.count, 1);
	assert_int_equal(word_space_free_words(&space), SEGMENT);
	word_space_done(&space);
}

/* Two that are held at a time never overlap, and all comes back. */
static void nothing_is_given_twice(void **state)
{
	static uint8_t used[SEGMENT * SEGMENTS];
	struct word_extent held[HELD] = { { 0 } };
	struct word_space space = new_space();
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct word_extent *one = &held[(random = random * 1103515245 + 12345) >> 16 & 63];
		uint32_t words = random >> 8 & 511;
		bool whole = random >> 24 & 1;

		memset(used + one->start, 0, one->words);
		word_space_give(&space, *one);
		*one = (struct word_extent){ 0 };
		if (!word_space_take(&space, words, whole, one))
			continue;
		assert_true(one->words >= words && one->start + one->words <= space.end);
		assert_true(!whole || one->start / SEGMENT == (one->start + words) / SEGMENT ||
			    one->start / SEGMENT == (one->start + words - 1) / SEGMENT);
		assert_null(memchr(used + one->start, 1, one->words));
		memset(used + one->start, 1, one->words);
	}
	for (int i = 0; i < HELD; i++)
		word_space_give(&space, held[i]);
	assert_int_equal(word_space_free_words(&space), space.end);
	assert_int_equal(space.holes.count, 1);
	word_space_done(&space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_by_segments),
		cmocka_unit_test(what_is_whole_lies_in_one_segment),
		cmocka_unit_test(neighbours_join),
		cmocka_unit_test(nothing_is_given_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
