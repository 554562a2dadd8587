/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/hit_sets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static hit_set add(struct hit_sets *sets, hit_set set, size_t event, uint64_t samples)
{
	hit_sets_add(sets, &set, event, &(struct hits){ samples, 10 * samples });
	return set;
}

static void assert_samples(const struct hit_sets *sets, hit_set set, uint64_t first,
			   uint64_t second)
{
	const struct hits *hits = hit_sets_get(sets, set);

	assert_int_equal(hits[0].samples, first);
	assert_int_equal(hits[0].weight, 10 * first);
	assert_int_equal(hits[1].samples, second);
	assert_int_equal(hits[1].weight, 10 * second);
}

/* Joining copies: the set that was joined stays what it was. */
static void sums(void **state)
{
	struct hit_sets sets;
	hit_set a, b, sum = 0, none = 0;

	hit_sets_init(&sets, 2);
	assert_samples(&sets, 0, 0, 0);
	a = add(&sets, add(&sets, 0, 0, 3), 0, 4);
	b = add(&sets, 0, 1, 5);
	assert_int_not_equal(a, b);
	for (int i = 0; i < 100; i++) {
		hit_sets_join(&sets, &sum, a);
		hit_sets_join(&sets, &sum, b);
		hit_sets_join(&sets, &sum, 0);
	}
	assert_samples(&sets, sum, 700, 500);
	assert_samples(&sets, a, 7, 0);
	assert_samples(&sets, b, 0, 5);
	hit_sets_join(&sets, &none, 0);
	assert_int_equal(none, 0);
	assert_samples(&sets, 0, 0, 0);
	assert_true(hit_sets_any(&sets, b));
	assert_false(hit_sets_any(&sets, 0));
	hit_sets_done(&sets);
	(void)state;
}

static void order(void **state)
{
	struct hit_sets sets;
	hit_set light, heavy, same;

	hit_sets_init(&sets, 2);
	light = add(&sets, add(&sets, 0, 0, 3), 1, 100);
	heavy = add(&sets, 0, 0, 4);
	same = add(&sets, add(&sets, 0, 0, 4), 1, 1);
	assert_true(hit_sets_compare(&sets, heavy, light) < 0);
	assert_true(hit_sets_compare(&sets, light, heavy) > 0);
	assert_true(hit_sets_compare(&sets, same, heavy) < 0);
	assert_int_equal(hit_sets_compare(&sets, heavy, heavy), 0);
	assert_true(hit_sets_compare(&sets, light, 0) < 0);
	hit_sets_done(&sets);
	(void)state;
}

/* Numbers of sets stay. */
static void kept(void **state)
{
	const bool keep[] = { true, false, true };
	struct hit_sets sets;
	hit_set a = 0, b = 0;

	hit_sets_init(&sets, 3);
	for (size_t event = 0; event < 3; event++) {
		a = add(&sets, a, event, 1 + event);
		b = add(&sets, b, event, 10 + event);
	}
	hit_sets_keep(&sets, keep);
	assert_int_equal(sets.events, 2);
	assert_samples(&sets, 0, 0, 0);
	assert_samples(&sets, a, 1, 3);
	assert_samples(&sets, b, 10, 12);
	hit_sets_done(&sets);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(order),
		cmocka_unit_test(kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
