/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <math.h>

#include "aggregate/estimate.h"

/* Worked by hand from Wilson's formula with z = 1.96: 20 of 100 gives 0.1334 .. 0.2888, as
 * R's prop.test(20, 100, correct = FALSE) prints. */
static void known_interval(void **state)
{
	struct interval interval = estimate_share(20, 100, 100);

	assert_true(fabs(interval.low - 0.1333669) < 1e-6);
	assert_true(fabs(interval.high - 0.2888292) < 1e-6);
}

static void edges(void **state)
{
	struct interval none = estimate_share(0, 100, 100);
	struct interval all = estimate_share(100, 100, 100);
	struct interval nothing = estimate_share(0, 0, 0);

	assert_true(fabs(none.low) < 1e-12);
	assert_true(none.high > 0.03 && none.high < 0.04);
	assert_true(fabs(all.high - 1) < 1e-12);
	assert_true(all.low > 0.96 && all.low < 0.97);
	assert_true(nothing.low <= 0 && nothing.high >= 1);
}

/* Scaling all weights changes nothing; unequal weights widen the interval. */
static void weights_count_by_their_spread(void **state)
{
	struct interval ones = estimate_share(20, 100, 100);
	struct interval millions = estimate_share(20e6, 100e6, 100e12);
	/* Half of the samples weigh 3, half 1: (200)^2 / 500 = 80 effective samples of 100. */
	struct interval uneven = estimate_share(40, 200, 500);

	assert_true(fabs(ones.low - millions.low) < 1e-12);
	assert_true(fabs(ones.high - millions.high) < 1e-12);
	assert_true(uneven.high - uneven.low > ones.high - ones.low);
}

/* xorshift64*: the same numbers on every machine. */
static double uniform(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return (double)((*seed * 0x2545f4914f6cdd1dULL) >> 11) / 9007199254740992.0;
}

/* How often the interval of @n samples with periods of 1 +- @jitter holds the true share, in
 * percent. */
static double coverage(double share, size_t n, double jitter, uint64_t seed)
{
	enum { RUNS = 4000 };
	size_t held = 0;

	for (size_t run = 0; run < RUNS; run++) {
		double part = 0, whole = 0, squared = 0;
		struct interval interval;

		for (size_t i = 0; i < n; i++) {
			double weight = 1 + jitter * (2 * uniform(&seed) - 1);

			part += uniform(&seed) < share ? weight : 0;
			whole += weight;
			squared += weight * weight;
		}
		interval = estimate_share(part, whole, squared);
		held += interval.low <= share && share <= interval.high;
	}
	return 100.0 * (double)held / RUNS;
}

static void covers_the_truth(void **state)
{
	static const struct {
		double share;
		size_t n;
		double jitter;
	} cases[] = {
		{ 0.5, 200, 0.2 }, { 0.2, 300, 0.2 },	{ 0.1, 500, 0.2 },
		{ 0.8, 300, 0.8 }, { 0.05, 1000, 0.2 }, { 0.3, 200, 0.95 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double held =
			coverage(cases[i].share, cases[i].n, cases[i].jitter, 88172645463325252ULL);

		if (held < 93 || held > 97)
			fail_msg("share %g of %zu samples: held in %.2f %% of the runs",
				 cases[i].share, cases[i].n, held);
	}
}

/* A part that is everything, or nothing, of any number of samples is within its own interval. */
static void all_and_nothing_are_within(void **state)
{
	for (int n = 1; n < 3000; n++) {
		double z = 1 + n % 50 / 10.0;

		assert_true(estimate_share_within(z, n, n, n).high >= 1);
		assert_true(estimate_share_within(z, 0, n, n).low <= 0);
	}
}

/* A fifth was not seen: none of it may belong to the share, or all of it. */
static void what_was_lost_may_be_anything(void **state)
{
	const struct interval seen = { 0.25, 0.5 };
	struct interval with_loss = estimate_with_loss(seen, 80, 20);
	struct interval without = estimate_with_loss(seen, 80, 0);
	struct interval nothing = estimate_with_loss(seen, 0, 0);

	assert_float_equal(with_loss.low, 0.2, 1e-12);
	assert_float_equal(with_loss.high, 0.6, 1e-12);
	assert_float_equal(without.low, 0.25, 0);
	assert_float_equal(without.high, 0.5, 0);
	assert_float_equal(nothing.low, 0, 0);
	assert_float_equal(nothing.high, 1, 0);
}

/* Against a table of the normal distribution. */
static void standard_deviations_for_a_certainty(void **state)
{
	assert_float_equal(estimate_z(0.95, 1), 1.959964, 1e-5);
	assert_float_equal(estimate_z(0.99, 1), 2.575829, 1e-5);
	assert_float_equal(estimate_z(0.9999, 1), 3.890592, 1e-5);
	assert_float_equal(estimate_z(0.95, 10), 2.807034, 1e-5); /* 0.995 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_interval),
		cmocka_unit_test(edges),
		cmocka_unit_test(weights_count_by_their_spread),
		cmocka_unit_test(covers_the_truth),
		cmocka_unit_test(all_and_nothing_are_within),
		cmocka_unit_test(what_was_lost_may_be_anything),
		cmocka_unit_test(standard_deviations_for_a_certainty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
