/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collect/period.h"

/* A timer as the kernel runs it: a change at R makes ticks at R + k x period. The weights of all
 * ticks must add up to the time from the start to the last tick, whatever the changes. */
static void weights_add_up_to_the_time(void **state)
{
	const uint64_t mean = 1000000, first = 5000000;
	struct period_history history;
	uint64_t random = 42, period = mean, now = first, sum = 0, last_tick = first;

	period_start(&history, now, period);
	for (int change = 0; change < 500; change++) {
		uint64_t until = now + 3 * mean + period_draw(&random, 20 * mean);

		for (uint64_t tick = now + period; tick <= until; tick += period) {
			sum += period_weight(&history, tick);
			last_tick = tick;
		}
		now = until;
		period = period_draw(&random, mean);
		period_change(&history, now, period);
	}
	assert_int_equal(sum, last_tick - first);
}

static void changes_without_a_tick_lose_nothing(void **state)
{
	struct period_history history;

	period_start(&history, 1000, 100);
	period_change(&history, 1250, 120); /* ticks at 1100 and 1200: 50 owed */
	period_change(&history, 1260, 90);  /* none in between: 10 more */
	assert_int_equal(period_weight(&history, 1350), 90 + 60);
	assert_int_equal(period_weight(&history, 1440), 90);
}

static void a_late_sample_finds_its_own_period(void **state)
{
	struct period_history history;

	period_start(&history, 0, 100);
	period_change(&history, 1000, 200);
	period_change(&history, 2000, 300);
	assert_int_equal(period_at(&history, 950), 100);
	assert_int_equal(period_at(&history, 1950), 200);
	assert_int_equal(period_at(&history, 5000), 300);
	assert_int_equal(period_weight(&history, 1400), 200);
}

static void draws_stay_within_a_fifth_and_average_out(void **state)
{
	uint64_t random = 7, sum = 0, least = UINT64_MAX, most = 0;
	const int draws = 100000;

	for (int i = 0; i < draws; i++) {
		uint64_t period = period_draw(&random, 1000000);

		sum += period;
		least = period < least ? period : least;
		most = period > most ? period : most;
	}
	assert_in_range(least, 800000, 801000);
	assert_in_range(most, 1199000, 1200000);
	/* The mean of n uniform draws has standard deviation 115470 / sqrt(n) = 365: five of them.
	 */
	assert_in_range(sum / draws, 1000000 - 1826, 1000000 + 1826);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_add_up_to_the_time),
		cmocka_unit_test(changes_without_a_tick_lose_nothing),
		cmocka_unit_test(a_late_sample_finds_its_own_period),
		cmocka_unit_test(draws_stay_within_a_fifth_and_average_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
