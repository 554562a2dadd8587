/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/lru.h"

static void the_oldest_goes_first(void **state)
{
	struct lru lru = { 0 };

	assert_int_equal(lru_oldest(&lru), UINT32_MAX);
	lru_remove(&lru, 7);
	lru_use(&lru, 7);
	lru_use(&lru, 0);
	lru_use(&lru, 3);
	lru_use(&lru, 7);
	assert_int_equal(lru_oldest(&lru), 0);
	lru_remove(&lru, 5);
	lru_remove(&lru, 0);
	lru_remove(&lru, 0);
	assert_int_equal(lru_oldest(&lru), 3);
	lru_remove(&lru, 3);
	assert_int_equal(lru_oldest(&lru), 7);
	lru_remove(&lru, 7);
	assert_int_equal(lru_oldest(&lru), UINT32_MAX);
	lru_done(&lru);
	assert_int_equal(lru_oldest(&lru), UINT32_MAX);
}

enum { THINGS = 50, STEPS = 20000 };

/* Against a clock for each thing, and a look at all of them. */
static void same_as_looking_at_all(void **state)
{
	uint64_t used[THINGS] = { 0 }, random = 1;
	struct lru lru = { 0 };

	for (uint64_t step = 1; step <= STEPS; step++) {
		uint32_t thing, oldest = UINT32_MAX;

		random = random * 6364136223846793005U + 1442695040888963407U;
		thing = (uint32_t)(random >> 33) % THINGS;
		if ((random >> 60) < 6) {
			lru_remove(&lru, thing);
			used[thing] = 0;
		} else {
			lru_use(&lru, thing);
			used[thing] = step;
		}
		for (uint32_t i = 0; i < THINGS; i++) {
			if (used[i] && (oldest == UINT32_MAX || used[i] < used[oldest]))
				oldest = i;
		}
		assert_int_equal(lru_oldest(&lru), oldest);
	}
	lru_done(&lru);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_goes_first),
		cmocka_unit_test(same_as_looking_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
