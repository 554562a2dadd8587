/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"

static void keeps_everything_while_growing(void **state)
{
	VEC(uint64_t) numbers = { 0 };

	for (uint64_t i = 0; i < 10000; i++)
		*vec_push(&numbers) = i * i;
	assert_int_equal(numbers.count, 10000);
	assert_true(numbers.capacity >= numbers.count);
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(numbers.items[i], i * i);
	vec_free(&numbers);
	assert_null(numbers.items);
	assert_int_equal(numbers.count + numbers.capacity, 0);
}

static void reserve_makes_room_once(void **state)
{
	VEC(char) bytes = { 0 };
	const char *before;

	vec_reserve(&bytes, 1000);
	assert_true(bytes.capacity >= 1000);
	assert_int_equal(bytes.count, 0);
	before = bytes.items;
	for (int i = 0; i < 1000; i++)
		*vec_push(&bytes) = 'x';
	assert_ptr_equal(bytes.items, before);
	vec_free(&bytes);
}

/* Growing by a share keeps the number of moves small: 10,000 pushes, fewer than 30 moves. */
static void moves_seldom(void **state)
{
	VEC(int) numbers = { 0 };
	size_t capacity = 0, moves = 0;

	for (int i = 0; i < 10000; i++) {
		*vec_push(&numbers) = i;
		moves += numbers.capacity != capacity;
		capacity = numbers.capacity;
	}
	assert_in_range(moves, 1, 29);
	vec_free(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_everything_while_growing),
		cmocka_unit_test(reserve_makes_room_once),
		cmocka_unit_test(moves_seldom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
