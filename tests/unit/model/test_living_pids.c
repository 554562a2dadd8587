/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/living.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KEYS = 700, STEPS = 60000 };

/* Puts, replaces and removes at random; a plain array is the reference. */
static void test_equals_an_array(void **state)
{
	struct pid_table table = { 0 };
	void *expected[KEYS] = { 0 };
	unsigned seed = 1;

	(void)state;
	for (int step = 0; step < STEPS; step++) {
		int32_t key = rand_r(&seed) % KEYS;

		if (rand_r(&seed) % 2) {
			expected[key] = &expected[rand_r(&seed) % KEYS];
			pid_table_put(&table, key - 5, expected[key]);
		} else {
			expected[key] = NULL;
			pid_table_remove(&table, key - 5);
		}
		key = rand_r(&seed) % KEYS;
		assert_ptr_equal(pid_table_find(&table, key - 5), expected[key]);
	}
	for (int32_t key = 0; key < KEYS; key++)
		assert_ptr_equal(pid_table_find(&table, key - 5), expected[key]);
	pid_table_done(&table);
}

/* A machine that forks for weeks: the table must not grow with what is gone. */
static void test_does_not_grow_with_the_dead(void **state)
{
	struct pid_table table = { 0 };

	(void)state;
	for (int32_t pid = 1; pid < 200000; pid++) {
		pid_table_put(&table, pid, &table);
		pid_table_remove(&table, pid - 20);
	}
	assert_int_equal(table.count, 20);
	assert_true(table.size <= 64);
	pid_table_done(&table);
}

static void test_every_object_once(void **state)
{
	struct pid_table table = { 0 };
	int objects[100] = { 0 };
	size_t cursor = 0;
	int *object;

	(void)state;
	assert_null(pid_table_next(&table, &cursor));
	for (int32_t key = 0; key < 100; key++)
		pid_table_put(&table, key * 1000, &objects[key]);
	while ((object = pid_table_next(&table, &cursor)))
		++*object;
	for (int key = 0; key < 100; key++)
		assert_int_equal(objects[key], 1);
	pid_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_an_array),
		cmocka_unit_test(test_does_not_grow_with_the_dead),
		cmocka_unit_test(test_every_object_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
