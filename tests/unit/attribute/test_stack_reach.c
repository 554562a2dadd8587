/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/stack_reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perf/perf_sample.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void map(struct address_space **space, uint64_t start, uint32_t image, uint64_t serial)
{
	address_space_map(space, &(struct mapping){ .start = start,
						    .end = start + 0x1000,
						    .image = image,
						    .since = serial });
}

static void test_only_what_it_leads_through(void **state)
{
	/* The call is the last instruction of the mapping at 0x2000. */
	static const uint64_t addresses[] = { 0x1010, 0x1020, 0x3000, 0x9010 };
	struct address_space *space = NULL;
	struct stack_reach reach = { 0 };

	(void)state;
	map(&space, 0x1000, 1, 1);
	map(&space, 0x2000, 2, 1);
	map(&space, 0x3000, 3, 1);
	stack_reach_make(&reach, space, addresses, COUNT_OF(addresses));
	assert_int_equal(reach.ranges.count, 3);
	map(&space, 0x3000, 4, 2);
	assert_true(stack_reach_unchanged(&reach, space, 1));
	map(&space, 0x2000, 5, 3);
	assert_false(stack_reach_unchanged(&reach, space, 1));
	assert_true(stack_reach_unchanged(&reach, space, 3));
	/* Nothing was there before. */
	map(&space, 0x9000, 6, 4);
	assert_false(stack_reach_unchanged(&reach, space, 3));
	stack_reach_done(&reach);
	address_space_unref(space);
}

/* A frame that a signal interrupted lies where it says, its rows were looked up there or before. */
static void test_exact_frames(void **state)
{
	static const uint64_t addresses[] = { 0x1010, 0x3000 | UNWIND_EXACT };
	struct address_space *space = NULL;
	struct stack_reach reach = { 0 };

	(void)state;
	for (uint32_t i = 1; i <= 3; i++)
		map(&space, 0x1000 * i, i, 1);
	for (uint32_t i = 2; i <= 3; i++) {
		stack_reach_make(&reach, space, addresses, COUNT_OF(addresses));
		map(&space, 0x1000 * i, 7 + i, i);
		assert_false(stack_reach_unchanged(&reach, space, i - 1));
	}
	stack_reach_done(&reach);
	address_space_unref(space);
}

static void test_sets_are_kept_once(void **state)
{
	static const struct reach_range ranges[] = { { 1, 2 }, { 3, 9 }, { 11, 12 } };
	struct stack_reaches reaches = { 0 };
	uint32_t both = stack_reaches_add(&reaches, ranges, 2), other;
	const struct reach_range *got;
	size_t count;

	(void)state;
	assert_int_equal(stack_reaches_add(&reaches, ranges, 0), 0);
	other = stack_reaches_add(&reaches, ranges + 1, 2);
	assert_int_not_equal(both, other);
	for (int i = 0; i < 1000; i++)
		(void)stack_reaches_add(&reaches, &(struct reach_range){ 100, 200 + i }, 1);
	assert_int_equal(stack_reaches_add(&reaches, ranges, 2), both);
	assert_int_equal(stack_reaches_add(&reaches, ranges + 1, 2), other);
	got = stack_reaches_get(&reaches, other, &count);
	assert_int_equal(count, 2);
	assert_memory_equal(got, ranges + 1, 2 * sizeof(*got));
	assert_true(stack_reaches_unchanged(&reaches, 0, NULL, 0));
	stack_reaches_done(&reaches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_it_leads_through),
		cmocka_unit_test(test_exact_frames),
		cmocka_unit_test(test_sets_are_kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
