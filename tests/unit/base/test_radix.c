/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same order as qsort gives, with the place as what decides between equal keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hashidx.h"
#include "base/radix.h"

enum { MOST = 3000 };

static int by_key_and_place(const void *left, const void *right)
{
	const struct radix_item *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void assert_sorted(size_t count, uint64_t mask)
{
	static struct radix_item items[MOST], wanted[MOST];

	for (uint32_t i = 0; i < count; i++)
		items[i] = wanted[i] = (struct radix_item){ hash_u64(i + 1) & mask, i };
	radix_sort(items, count);
	qsort(wanted, count, sizeof(wanted[0]), by_key_and_place);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(items[i].key, wanted[i].key);
		assert_int_equal(items[i].id, wanted[i].id);
	}
}

static void the_order_is_that_of_keys_then_places(void **state)
{
	static const uint64_t masks[] = {
		UINT64_MAX,
		0,
		1,
		0xff,
		0xff00,
		0xff00ff,
		0xff00000000000000ULL,
		0x8000000000000001ULL,
		0xfff000,
		0xffffffff,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		assert_sorted(2, masks[i]);
		assert_sorted(257, masks[i]);
		assert_sorted(MOST, masks[i]);
	}
}

static void none_and_one_are_in_order(void **state)
{
	struct radix_item item = { 5, 6 };

	(void)state;
	radix_sort(NULL, 0);
	radix_sort(&item, 1);
	assert_int_equal(item.key, 5);
	assert_int_equal(item.id, 6);
}

static void things_go_to_their_places(void **state)
{
	const struct radix_item order[] = { { 0, 2 }, { 0, 0 }, { 0, 1 } };
	char things[][2] = { "b", "c", "a" };

	(void)state;
	radix_arrange(order, 0, NULL, sizeof(things[0]));
	radix_arrange(order, 3, things, sizeof(things[0]));
	assert_memory_equal(things, "a\0b\0c", sizeof(things));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_that_of_keys_then_places),
		cmocka_unit_test(none_and_one_are_in_order),
		cmocka_unit_test(things_go_to_their_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
