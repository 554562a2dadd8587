/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aggregate/trees/lanes.h"

static void the_busiest_come_first(void **state)
{
	struct lanes lanes;

	(void)state;
	lanes_init(&lanes, 5);
	lanes_add(&lanes, 1, 3);
	lanes_add(&lanes, 4, 7);
	lanes_add(&lanes, 1, 5);
	lanes_add(&lanes, 2, 7);
	lanes_choose(&lanes);
	assert_int_equal(lanes.tasks.count, 4);
	assert_int_equal(lanes.tasks.items[0], 0);
	assert_int_equal(lanes.tasks.items[1], 1);
	assert_int_equal(lanes.tasks.items[2], 2);
	assert_int_equal(lanes.tasks.items[3], 4);
	assert_int_equal(lanes.of_task[1], 1);
	assert_int_equal(lanes.of_task[4], 3);
	/* A task without samples needs no lane. */
	assert_int_equal(lanes.of_task[3], 0);
	lanes_done(&lanes);
}

static void all_others_share_the_first_lane(void **state)
{
	enum { TASKS = 3 * LANES_MAX };
	struct lanes lanes;
	size_t shared = 0;

	(void)state;
	lanes_init(&lanes, TASKS);
	for (uint32_t task = 1; task < TASKS; task++)
		lanes_add(&lanes, task, task);
	lanes_choose(&lanes);
	assert_int_equal(lanes.tasks.count, LANES_MAX);
	for (uint32_t task = 1; task < TASKS; task++) {
		shared += !lanes.of_task[task];
		if (lanes.of_task[task])
			assert_int_equal(lanes.tasks.items[lanes.of_task[task]], task);
	}
	assert_int_equal(shared, TASKS - LANES_MAX);
	assert_int_equal(lanes.of_task[TASKS - 1], 1);
	lanes_done(&lanes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_busiest_come_first),
		cmocka_unit_test(all_others_share_the_first_lane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
