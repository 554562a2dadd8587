/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "load/total_sums.h"

enum { STACKS = 40, TASKS = 7, ROUNDS = 3 };

static void sums_come_in_order(void **state)
{
	struct total_sums sums = { .index = { 0 } };
	struct totals totals;

	(void)state;
	for (unsigned i = 0; i < ROUNDS * STACKS * TASKS * 2; i++) {
		unsigned n = i * 17 % (STACKS * TASKS * 2); /* 17 divides none of them */

		total_sums_add(&sums, &(struct total){ .stack = n / 2 % STACKS,
						       .task = n / 2 / STACKS,
						       .mode = n % 2,
						       .samples = 1,
						       .weight = n,
						       .weight_squared = 0.5 });
	}
	totals = total_sums_take(&sums);
	assert_int_equal(totals.rows.count, STACKS * TASKS * 2);
	for (size_t i = 0; i < totals.rows.count; i++) {
		const struct total *total = &totals.rows.items[i];

		assert_int_equal(total->stack, i / (TASKS * 2));
		assert_int_equal(total->task, i / 2 % TASKS);
		assert_int_equal(total->mode, i % 2);
		assert_int_equal(total->samples, ROUNDS);
		assert_int_equal(total->weight,
				 ROUNDS *
					 ((total->task * STACKS + total->stack) * 2 + total->mode));
		assert_true(total->weight_squared > 1.4 && total->weight_squared < 1.6);
	}
	vec_free(&totals.rows);
	/* Empty again. */
	totals = total_sums_take(&sums);
	assert_int_equal(totals.rows.count, 0);
	total_sums_done(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_come_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
