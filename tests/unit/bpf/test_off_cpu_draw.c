/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "bpf/off_cpu_draw.h"

enum { US = 1000, MS = 1000 * US, S = 1000 * MS };

struct mean {
	double sum, squares;
	uint64_t count;
};

static void mean_add(struct mean *mean, double value)
{
	mean->sum += value;
	mean->squares += value * value;
	mean->count++;
}

/* How many standard errors the mean is away from the truth. */
static double mean_error(const struct mean *mean, double truth)
{
	double n = (double)mean->count, average = mean->sum / n;
	double variance = (mean->squares - n * average * average) / (n - 1);

	return fabs(average - truth) / sqrt(variance / n);
}

static uint64_t estimate(uint64_t threshold, uint64_t duration, __u64 *random)
{
	uint64_t draw = off_cpu_draw(off_cpu_random(random), threshold);

	return off_cpu_kept(draw, duration) ? off_cpu_weight(threshold, duration) : 0;
}

/* Waits below a threshold z of 1 ms, each estimated 1,000 times. An estimate is z with probability
 * d / z, else 0: its variance is d (z - d). */
static void each_wait_is_estimated_without_bias(void **state)
{
	static const uint64_t durations[] = { 700, 5 * US, 90 * US, 400 * US, 999 * US };
	const int draws = 1000;
	__u64 random = 1;

	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
		double truth = (double)durations[i], sum = 0;

		for (int draw = 0; draw < draws; draw++)
			sum += (double)estimate(MS, durations[i], &random);
		assert_true(fabs(sum / draws - truth) < 3 * sqrt(truth * (MS - truth) / draws));
	}
}

static void what_is_longer_than_the_threshold_is_itself(void **state)
{
	__u64 random = 2;

	for (int draw = 0; draw < 1000; draw++) {
		assert_int_equal(estimate(MS, MS, &random), MS);
		assert_int_equal(estimate(MS, 5ULL * S, &random), 5ULL * S);
		assert_int_equal(estimate(1, 17, &random), 17);
		assert_int_equal(estimate(1, 0, &random), 0);
	}
}

static void draws_fill_their_range(void **state)
{
	assert_int_equal(off_cpu_draw(0, MS), 0);
	assert_int_equal(off_cpu_draw(UINT32_MAX, MS), MS - 1);
	assert_int_equal(off_cpu_draw(UINT32_MAX, 1), 0);
	assert_int_equal(off_cpu_draw(UINT32_MAX, OFF_CPU_MAX_THRESHOLD_NS),
			 OFF_CPU_MAX_THRESHOLD_NS - 1);
	assert_int_equal(off_cpu_draw(1U << 31, MS), MS / 2);
}

/* One CPU's second: bursts of short waits, sometimes a long one in between. */
struct second {
	double truth, estimate; /* ns of all waits */
	uint64_t records, stacks;
};

static uint64_t next_wait(__u64 *random)
{
	uint32_t bits = off_cpu_random(random);

	if (bits < UINT32_MAX / 2000)
		return 20 * MS + bits % (30 * MS);
	return 2 * US + bits % (18 * US);
}

static void run_second(struct off_cpu_pace *pace, __u64 *random, uint64_t start,
		       struct second *second)
{
	uint64_t expected = OFF_CPU_MAX_THRESHOLD_NS;

	for (uint64_t now = start; now < start + S;) {
		uint64_t threshold =
			off_cpu_pace_look(pace, now, OFF_CPU_PERIOD_NS, OFF_CPU_BUDGET);
		uint64_t draw = off_cpu_draw(off_cpu_random(random), threshold);
		uint64_t duration = next_wait(random);

		if (off_cpu_kept(draw, expected)) {
			off_cpu_pace_spend(pace, now, 1, OFF_CPU_BUDGET);
			second->stacks++;
		}
		now += duration;
		second->truth += (double)duration;
		if (off_cpu_kept(draw, duration)) {
			off_cpu_pace_spend(pace, now, 1, OFF_CPU_BUDGET);
			second->estimate += (double)off_cpu_weight(threshold, duration);
			second->records++;
		}
		expected = off_cpu_expect(expected, duration);
		now += 5 * US;
	}
}

/* 1,000 seconds with an adapting threshold: unbiased, and within the budget. */
static void sums_stay_unbiased_and_cheap_under_an_adapting_threshold(void **state)
{
	const uint64_t budget = 2 * OFF_CPU_BUDGET * (uint64_t)S / OFF_CPU_PERIOD_NS;
	struct mean errors = { 0 };
	__u64 random = 3;

	for (int i = 0; i < 1000; i++) {
		struct off_cpu_pace pace = { 0 };
		struct second second = { 0 };

		run_second(&pace, &random, S, &second);
		mean_add(&errors, second.estimate - second.truth);
		assert_true(second.records + second.stacks < budget);
		/* the long waits, about half of the time, have no error at all */
		assert_true(fabs(second.estimate / second.truth - 1) < 0.25);
	}
	assert_true(mean_error(&errors, 0) < 3);
}

static void a_quiet_cpu_keeps_everything_again(void **state)
{
	struct off_cpu_pace pace = { .threshold_ns = OFF_CPU_MAX_THRESHOLD_NS };
	uint64_t now = S;

	assert_int_equal(off_cpu_pace_look(&pace, now, OFF_CPU_PERIOD_NS, OFF_CPU_BUDGET), 1);
	pace.threshold_ns = 8;
	for (int i = 0; i < 3; i++)
		off_cpu_pace_look(&pace, now += OFF_CPU_PERIOD_NS, OFF_CPU_PERIOD_NS,
				  OFF_CPU_BUDGET);
	assert_int_equal(pace.threshold_ns, 1);
	off_cpu_pace_look(&pace, now + 1, OFF_CPU_PERIOD_NS, OFF_CPU_BUDGET);
	assert_int_equal(pace.threshold_ns, 1);
}

static void a_busy_cpu_keeps_its_threshold(void **state)
{
	struct off_cpu_pace pace = { .threshold_ns = 8, .spent = OFF_CPU_BUDGET / 2 };

	assert_int_equal(off_cpu_pace_look(&pace, S, OFF_CPU_PERIOD_NS, OFF_CPU_BUDGET), 8);
	assert_int_equal(pace.spent, 0);
}

static void a_burst_doubles_the_threshold(void **state)
{
	struct off_cpu_pace pace = { .since_ns = S };

	off_cpu_pace_spend(&pace, S, OFF_CPU_BUDGET, OFF_CPU_BUDGET);
	assert_int_equal(pace.threshold_ns, 0);
	off_cpu_pace_spend(&pace, S, 1, OFF_CPU_BUDGET);
	assert_int_equal(pace.threshold_ns, OFF_CPU_FIRST_STEP_NS);
	off_cpu_pace_spend(&pace, S, OFF_CPU_BUDGET + 1, OFF_CPU_BUDGET);
	assert_int_equal(pace.threshold_ns, 2 * OFF_CPU_FIRST_STEP_NS);
	for (int i = 0; i < 100; i++)
		off_cpu_pace_spend(&pace, S, OFF_CPU_BUDGET + 1, OFF_CPU_BUDGET);
	assert_int_equal(pace.threshold_ns, OFF_CPU_MAX_THRESHOLD_NS);
}

static void a_long_wait_is_expected_for_a_while(void **state)
{
	assert_int_equal(off_cpu_expect(100, 1000), 1000);
	assert_int_equal(off_cpu_expect(1000, 600), 600);
	assert_int_equal(off_cpu_expect(1000, 10), 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wait_is_estimated_without_bias),
		cmocka_unit_test(what_is_longer_than_the_threshold_is_itself),
		cmocka_unit_test(draws_fill_their_range),
		cmocka_unit_test(sums_stay_unbiased_and_cheap_under_an_adapting_threshold),
		cmocka_unit_test(a_quiet_cpu_keeps_everything_again),
		cmocka_unit_test(a_busy_cpu_keeps_its_threshold),
		cmocka_unit_test(a_burst_doubles_the_threshold),
		cmocka_unit_test(a_long_wait_is_expected_for_a_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
