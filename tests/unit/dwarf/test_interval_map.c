/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dwarf/interval_map.h"

static void the_innermost_counts(void **state)
{
	struct interval_map map = { 0 };

	interval_map_add(&map, 30, 40, 2);
	interval_map_add(&map, 10, 100, 0);
	interval_map_add(&map, 20, 50, 1);
	interval_map_add(&map, 60, 70, 3);
	interval_map_flatten(&map);
	assert_int_equal(interval_map_find(&map, 9), INTERVAL_NONE);
	assert_int_equal(interval_map_find(&map, 10), 0);
	assert_int_equal(interval_map_find(&map, 20), 1);
	assert_int_equal(interval_map_find(&map, 39), 2);
	assert_int_equal(interval_map_find(&map, 40), 1);
	assert_int_equal(interval_map_find(&map, 50), 0);
	assert_int_equal(interval_map_find(&map, 69), 3);
	assert_int_equal(interval_map_find(&map, 70), 0);
	assert_int_equal(interval_map_find(&map, 99), 0);
	assert_int_equal(interval_map_find(&map, 100), INTERVAL_NONE);
	assert_int_equal(interval_map_find(&map, UINT64_MAX), INTERVAL_NONE);
	interval_map_done(&map);
}

static void the_greater_value_is_inside(void **state)
{
	struct interval_map map = { 0 };

	interval_map_add(&map, 10, 20, 7);
	interval_map_add(&map, 10, 20, 9);
	interval_map_add(&map, 10, 20, 8);
	interval_map_flatten(&map);
	assert_int_equal(interval_map_find(&map, 10), 9);
	assert_int_equal(interval_map_find(&map, 19), 9);
	assert_int_equal(interval_map_find(&map, 20), INTERVAL_NONE);
	assert_int_equal(map.pieces.count, 2);
	interval_map_done(&map);
}

static void ranges_that_cross_end_where_they_end(void **state)
{
	struct interval_map map = { 0 };

	interval_map_add(&map, 10, 30, 1);
	interval_map_add(&map, 20, 40, 2);
	interval_map_add(&map, 35, 37, 3);
	interval_map_flatten(&map);
	assert_int_equal(interval_map_find(&map, 19), 1);
	assert_int_equal(interval_map_find(&map, 20), 2);
	assert_int_equal(interval_map_find(&map, 36), 3);
	assert_int_equal(interval_map_find(&map, 39), 2);
	assert_int_equal(interval_map_find(&map, 40), INTERVAL_NONE);
	interval_map_done(&map);
}

static void neighbours_alike_are_one_piece(void **state)
{
	struct interval_map map = { 0 };

	interval_map_add(&map, 10, 20, 1);
	interval_map_add(&map, 20, 30, 1);
	interval_map_add(&map, 30, 30, 5); /* empty */
	interval_map_add(&map, 40, 35, 5); /* the wrong way round */
	interval_map_flatten(&map);
	assert_int_equal(interval_map_find(&map, 25), 1);
	assert_int_equal(map.pieces.count, 2);
	interval_map_done(&map);
}

static void an_empty_map_has_nothing(void **state)
{
	struct interval_map map = { 0 };

	interval_map_flatten(&map);
	assert_int_equal(interval_map_find(&map, 0), INTERVAL_NONE);
	interval_map_done(&map);
}

/* The same answers as looking at every range. */
static void agrees_with_a_plain_search(void **state)
{
	enum { RANGES = 60, SPACE = 400 };
	uint32_t inner[SPACE];
	uint64_t width[SPACE];
	struct interval_map map = { 0 };
	uint32_t seed = 1;

	for (int i = 0; i < SPACE; i++) {
		inner[i] = INTERVAL_NONE;
		width[i] = UINT64_MAX;
	}
	/* nested by construction: halves of halves */
	for (uint32_t i = 0; i < RANGES; i++) {
		uint64_t size = 256 >> (i % 6);
		uint64_t start;

		seed = seed * 1103515245 + 12345;
		start = (seed >> 16) % (256 / size) * size + 64;
		interval_map_add(&map, start, start + size, i);
		for (uint64_t at = start; at < start + size; at++) {
			if (size <= width[at]) {
				width[at] = size;
				inner[at] = i;
			}
		}
	}
	interval_map_flatten(&map);
	for (uint64_t at = 0; at < SPACE; at++)
		assert_int_equal(interval_map_find(&map, at), inner[at]);
	interval_map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_counts),
		cmocka_unit_test(the_greater_value_is_inside),
		cmocka_unit_test(ranges_that_cross_end_where_they_end),
		cmocka_unit_test(neighbours_alike_are_one_piece),
		cmocka_unit_test(an_empty_map_has_nothing),
		cmocka_unit_test(agrees_with_a_plain_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
