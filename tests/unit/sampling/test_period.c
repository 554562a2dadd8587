/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hashidx.h"
#include "sampling/period.h"

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

/* The least, the most and the mean of what @draw gives for a million. */
static void assert_drawn(uint64_t (*draw)(uint64_t *state, uint64_t mean), double least,
			 double most, double mean)
{
	const int draws = 100000;
	uint64_t random = 7, low = UINT64_MAX, high = 0;
	double sum = 0;

	for (int i = 0; i < draws; i++) {
		uint64_t period = draw(&random, 1000000);

		sum += (double)period;
		low = period < low ? period : low;
		high = period > high ? period : high;
	}
	assert_in_range(low, (uint64_t)least, (uint64_t)(least * 1.001));
	assert_in_range(high, (uint64_t)(most * 0.999), (uint64_t)most);
	/* The mean of n uniform draws has the standard deviation (most - least) / sqrt(12 n). */
	assert_true(fabs(sum / draws - mean) < 5 * (most - least) / sqrt(12.0 * draws));
}

static void draws_stay_within_a_half_and_average_out(void **state)
{
	assert_drawn(period_draw, 500000, 1500000, 1000000);
}

static void draws_of_timers_keep_the_rate(void **state)
{
	const int draws = 100000;
	uint64_t random = 11;
	double rate = 0;

	assert_drawn(period_draw_timer, 549300, 1647900, 1098600);
	for (int i = 0; i < draws; i++)
		rate += 1e6 / (double)period_draw_timer(&random, 1000000);
	/* 1 / period varies by 0.316 of its mean; five deviations of the mean of n. */
	assert_true(fabs(rate / draws - 1) < 5 * 0.316 / sqrt(draws));
}

/* A program that does one thing for half of each @rhythm_ns, read by a timer with redraws every 100
 * periods: how far the share is off, in standard deviations of as many independent samples. */
static double off_by(uint64_t rhythm_ns, uint64_t *random)
{
	const uint64_t mean = 1000000, between = 100 * mean, end = 20 * between;
	uint64_t now = hash_u64(*random) % rhythm_ns, period = period_draw_timer(random, mean);
	uint64_t phase = now;
	double part = 0, whole = 0, squared = 0;
	struct period_history history;

	period_start(&history, now, period);
	for (; now < end; now += between) {
		for (uint64_t tick = now + period; tick <= now + between; tick += period) {
			double weight = (double)period_weight(&history, tick);

			part += (tick + phase) % rhythm_ns < rhythm_ns / 2 ? weight : 0;
			whole += weight;
			squared += weight * weight;
		}
		period = period_draw_timer(random, mean);
		period_change(&history, now + between, period);
	}
	return (part / whole - 0.5) / (0.5 * sqrt(squared) / whole);
}

/* Whatever the rhythm: what estimate_share says of independent samples holds. */
static void what_is_in_step_is_read_as_truly_as_the_rest(void **state)
{
	static const uint64_t rhythms[] = { 100000, 250000, 500000, 1000000, 1098600, 3000000 };
	const int runs = 2000;
	uint64_t random = 3;

	for (size_t i = 0; i < sizeof(rhythms) / sizeof(rhythms[0]); i++) {
		double squares = 0, off;

		for (int run = 0; run < runs; run++) {
			off = off_by(rhythms[i], &random);
			squares += off * off;
		}
		/* 1 but for chance and the rare draw in step; within +-20 % it was 1.6. */
		assert_true(sqrt(squares / runs) < 1.2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_add_up_to_the_time),
		cmocka_unit_test(changes_without_a_tick_lose_nothing),
		cmocka_unit_test(a_late_sample_finds_its_own_period),
		cmocka_unit_test(draws_stay_within_a_half_and_average_out),
		cmocka_unit_test(draws_of_timers_keep_the_rate),
		cmocka_unit_test(what_is_in_step_is_read_as_truly_as_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
