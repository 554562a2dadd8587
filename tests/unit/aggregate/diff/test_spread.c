/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variances of few runs against simulation: how far runs differ is chosen, and so is what changed.
 */
#include "aggregate/diff/spread.h"

#include <math.h>
#include <string.h>

#include "aggregate/diff/change.h"
#include "aggregate/draws.h"
#include "aggregate/fixture.h"

enum { ROWS = 8, MOST_RUNS = 10, PAIRS = 400 };

/* As in views/diff.c; and by how much runs usually differ. */
static const double limit = 0.03, usual = 0.05;
static const uint64_t first_seed = 88172645463325252ULL;

/* How runs are made. */
struct design {
	size_t old, new;
	double between; /* the time of a function varies by so much of it from run to run */
	double wild;	/* that of the last but one */
	int samples;
	double slower; /* how long the first function takes on the new side */
};

/* What came of all pairs. */
struct outcome {
	int found;	/* the first row is called real */
	int with_false; /* any other row is */
	double small;	/* rows whose p is below 5 %, of all */
};

static const double times[ROWS] = { 32, 25, 18, 12, 7, 3.5, 1.5, 1 };

/* One run: the shares of its rows. */
static void draw_run(uint64_t *seed, const struct design *design, bool is_new, struct measured *row,
		     size_t stride)
{
	double shares[ROWS], whole = 0, left = 1;
	int samples = design->samples;

	for (int i = 0; i < ROWS; i++) {
		double between = i == ROWS - 2 ? design->wild : design->between;

		shares[i] = times[i] * exp(between * draw_normal(seed)) *
			    (i == 0 && is_new ? design->slower : 1);
		whole += shares[i];
	}
	for (int i = 0; i < ROWS; i++) {
		double share = shares[i] / whole;
		double hits = i < ROWS - 1 ? draw_binomial(seed, samples, fmin(share / left, 1))
					   : samples;

		row[(size_t)i * stride] =
			(struct measured){ hits / design->samples, design->samples };
		samples -= (int)hits;
		left -= share;
	}
}

static struct change judge(const struct design *design, const struct spread *spread,
			   const struct measured *runs)
{
	struct measured old = change_mean(runs, design->old);
	struct measured new = change_mean(runs + design->old, design->new);
	struct seen_variance seen =
		spread ? spread_of(spread, runs, 1)
		       : change_of_runs(runs, design->old, runs + design->old, design->new);

	return change_of(MEASURED_SHARE, &old, &new, &seen);
}

/* @moderated: else each row by itself. */
static struct outcome simulate(const struct design *design, bool moderated)
{
	struct measured runs[ROWS][MOST_RUNS];
	struct outcome outcome = { 0 };
	uint64_t seed = first_seed;

	for (int pair = 0; pair < PAIRS; pair++) {
		struct spread *spread =
			moderated ? spread_new(MEASURED_SHARE, design->old, design->new, usual)
				  : NULL;
		double p[ROWS];
		bool any = false;

		for (size_t i = 0; i < design->old + design->new; i++)
			draw_run(&seed, design, i >= design->old, &runs[0][i], MOST_RUNS);
		for (int i = 0; spread && i < ROWS; i++)
			spread_add(spread, runs[i], 1);
		if (spread)
			spread_settle(spread);
		for (int i = 0; i < ROWS; i++) {
			p[i] = judge(design, spread, runs[i]).p;
			outcome.small += (p[i] <= 0.05) / (double)(ROWS * PAIRS);
		}
		change_discoveries(p, ROWS, p);
		outcome.found += p[0] <= limit;
		for (int i = 1; i < ROWS; i++)
			any = any || p[i] <= limit;
		outcome.with_false += any || p[0] <= limit;
		spread_free(spread);
	}
	return outcome;
}

/* Pairs of equal runs have a false row in 5 % of cases at most: of 400, three deviations more are
 * 33. */
static void equal_runs(void **state)
{
	static const struct design designs[] = {
		{ 3, 3, 0, 0, 1000, 1 },	{ 3, 3, 0.02, 0.02, 1000, 1 },
		{ 3, 3, 0.05, 0.05, 1000, 1 },	{ 3, 3, 0.1, 0.1, 3000, 1 },
		{ 3, 1, 0.02, 0.02, 1000, 1 },	{ 1, 3, 0.05, 0.05, 1000, 1 },
		{ 5, 5, 0.05, 0.05, 1000, 1 },	{ 5, 2, 0.03, 0.03, 1000, 1 },
		{ 3, 3, 0.02, 0.5, 1000, 1 },	{ 5, 5, 0.02, 1, 1000, 1 },
		{ 2, 2, 0.03, 0.03, 1000, 1 },	{ 3, 3, 0.03, 0.03, 60, 1 },
		{ 3, 3, 0.05, 0.05, 50000, 1 }, { 3, 1, 0.05, 0.05, 50000, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(designs) / sizeof(designs[0]); i++) {
		struct outcome outcome = simulate(&designs[i], true);

		if (outcome.with_false > 33 || outcome.small > 0.08)
			fail_msg("design %zu: %d of %d pairs of equal runs have a false row; p is "
				 "below 5 %% in %.1f %% of rows",
				 i, outcome.with_false, PAIRS, 100 * outcome.small);
	}
}

/* A function that is 35 % slower: its share goes from 32 % to 39 %. 19 of 20 are 380 of 400. */
static void slower_runs(void **state)
{
	static const struct {
		struct design design;
		int least;
	} cases[] = {
		{ { 3, 3, 0.02, 0.02, 2000, 1.35 }, 380 },
		{ { 3, 3, 0.03, 0.03, 2000, 1.35 }, 380 },
		{ { 5, 5, 0.05, 0.05, 1000, 1.35 }, 380 },
		/* To 41 %: 9 points. */
		{ { 3, 1, 0.02, 0.02, 2000, 1.48 }, 380 },
		{ { 1, 3, 0.02, 0.02, 2000, 1.48 }, 380 },
		{ { 3, 1, 0.03, 0.03, 50000, 1.48 }, 380 },
		{ { 2, 1, 0.02, 0.02, 2000, 1.54 }, 360 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome alone = simulate(&cases[i].design, false);
		struct outcome outcome = simulate(&cases[i].design, true);

		if (outcome.found < cases[i].least || outcome.found < alone.found)
			fail_msg("case %zu: found in %d of %d tries, %d with each row by itself", i,
				 outcome.found, PAIRS, alone.found);
	}
}

/* Adds the rows of five runs a side that differ by @between. */
static struct spread *learn(double between, int samples, struct measured runs[ROWS][MOST_RUNS])
{
	struct design design = { 5, 5, between, between, samples, 1 };
	struct spread *spread = spread_new(MEASURED_SHARE, 5, 5, usual);
	uint64_t seed = first_seed;

	for (size_t i = 0; i < 10; i++)
		draw_run(&seed, &design, false, &runs[0][i], MOST_RUNS);
	for (int i = 0; i < ROWS; i++)
		spread_add(spread, runs[i], 1);
	spread_settle(spread);
	return spread;
}

/* To a factor of two. Long runs override the usual spread, also that which other rows are expected
 * to have; short runs do not show the spread between runs. */
static void what_is_learned(void **state)
{
	struct spread *spread = spread_new(MEASURED_SHARE, 5, 5, usual);
	struct measured runs[ROWS][MOST_RUNS];
	double usually, tenth, hundredth;

	(void)state;
	spread_settle(spread);
	usually = spread_learned(spread).between;
	assert_true(fabs(usually - usual) < 0.015);
	spread_free(spread);

	spread = learn(0.1, 20000, runs);
	assert_int_equal(spread_learned(spread).rows, ROWS);
	assert_true(fabs(log(spread_learned(spread).between / 0.1)) < log(2));
	tenth = spread_of(spread, runs[0], 1).variance;
	assert_true(spread_of(spread, runs[0], 1).freedom > 8);
	spread_free(spread);

	spread = learn(0.01, 200000, runs);
	assert_true(fabs(log(spread_learned(spread).between / 0.01)) < log(2));
	hundredth = spread_of(spread, runs[0], 1).variance;
	assert_true(tenth / hundredth > 25 && tenth / hundredth < 200);
	spread_free(spread);

	spread = learn(0, 50, runs);
	assert_true(spread_learned(spread).between > usually / 2);
	spread_free(spread);
}

/* However alike runs are by chance, a row varies no less than its samples do; and of the same runs
 * one of many samples varies less. */
static void samples_are_the_least(void **state)
{
	struct measured alike[6], unlike[6];
	struct spread *spread = spread_new(MEASURED_SHARE, 3, 3, usual);

	(void)state;
	for (int i = 0; i < 6; i++) {
		alike[i] = (struct measured){ 0.3, 1000 };
		unlike[i] = (struct measured){ i % 3 ? 0.1 : 0.4, 1000 };
	}
	spread_add(spread, alike, 1);
	spread_settle(spread);
	assert_true(spread_of(spread, alike, 1).variance > 0.3 * 0.7 / 1000 * 2 / 3);
	assert_true(spread_of(spread, alike, 1).variance < 0.3 * 0.7 / 1000 * 2 / 3 * 1.3);
	assert_true(spread_of(spread, alike, 3).variance > 0.3 * 0.7 / 1000 * 2);
	/* This one is nothing like the other. */
	assert_true(spread_of(spread, unlike, 1).variance > 0.01);
	assert_true(spread_of(spread, unlike, 1).freedom < 8);
	spread_free(spread);
}

static void fill(struct measured runs[6], const double values[6], double exposure)
{
	for (int i = 0; i < 6; i++)
		runs[i] = (struct measured){ values[i], exposure };
}

/* One side that varies unlike the other is measured by its own runs; where both vary alike, all
 * that is known counts. */
static void sides_unlike_each_other(void **state)
{
	static const double values[][6] = {
		{ 0.300, 0.301, 0.299, 0.10, 0.60, 0.30 },
		{ 0.10, 0.60, 0.30, 0.300, 0.301, 0.299 },
		{ 0.28, 0.33, 0.30, 0.32, 0.29, 0.31 },
	};
	struct spread *spread = spread_new(MEASURED_SHARE, 3, 3, usual);

	(void)state;
	spread_settle(spread);
	for (int i = 0; i < 3; i++) {
		struct measured runs[6];
		struct seen_variance seen, alone;

		fill(runs, values[i], 1000);
		seen = spread_of(spread, runs, 1);
		alone = change_of_runs(runs, 3, runs + 3, 3);
		assert_int_equal(i < 2, seen.variance == alone.variance);
		assert_int_equal(i < 2, seen.freedom == alone.freedom);
	}
	spread_free(spread);
}

/* Nothing is learned from rows of less than two samples a run. */
static void rows_of_few_samples(void **state)
{
	static const double values[6] = { 0.001, 0.002, 0.003, 0.001, 0.002, 0.003 };
	struct spread *spread = spread_new(MEASURED_SHARE, 3, 3, usual);
	struct measured runs[6];

	(void)state;
	fill(runs, values, 990);
	spread_add(spread, runs, 1);
	fill(runs, values, 1010);
	spread_add(spread, runs, 1);
	spread_settle(spread);
	assert_int_equal(spread_learned(spread).rows, 1);
	spread_free(spread);
}

/* Learns from @copies of one row of six runs, and takes it as one of them. */
static struct seen_variance see_among(size_t copies, double *ret_between)
{
	static const double values[6] = { 80, 130, 95, 120, 75, 100 };
	struct spread *spread = spread_new(MEASURED_AMOUNT, 3, 3, usual);
	struct seen_variance seen;
	struct measured runs[6];

	fill(runs, values, 0.5);
	for (size_t i = 0; i < copies; i++)
		spread_add(spread, runs, 1);
	spread_settle(spread);
	*ret_between = spread_learned(spread).between;
	seen = spread_of(spread, runs, 1);
	spread_free(spread);
	return seen;
}

/* Equal rows carry as much information as one of them, and what a row adds to the estimate for
 * others is not added again to its own. */
static void rows_alike(void **state)
{
	double before, one, many;
	struct seen_variance unlearned = see_among(0, &before), learned = see_among(1, &one);

	(void)state;
	see_among(30, &many);
	assert_true(one > 1.2 * before);
	assert_float_equal(many, one, 1e-6);
	assert_float_equal(learned.variance, unlearned.variance, 1e-6 * unlearned.variance);
	assert_float_equal(learned.freedom, unlearned.freedom, 1e-6 * unlearned.freedom);
}

/* All there is, nothing at all, and what was measured exactly do not divide by 0. */
static void odd_rows(void **state)
{
	struct measured all[6], none[6], exact[6];
	struct spread *spread = spread_new(MEASURED_SHARE, 3, 3, usual);

	(void)state;
	for (int i = 0; i < 6; i++) {
		all[i] = (struct measured){ 1, 500 };
		none[i] = (struct measured){ 0, 500 };
		exact[i] = (struct measured){ 100 + i, INFINITY };
	}
	spread_add(spread, all, 1);
	spread_add(spread, none, 1);
	spread_add(spread, exact, 1);
	spread_settle(spread);
	assert_int_equal(spread_learned(spread).rows, 0);
	assert_true(spread_of(spread, all, 1).variance == 0);
	assert_true(spread_of(spread, none, 1).variance == 0);
	assert_float_equal(spread_of(spread, exact, 1).variance, 2. / 3, 1e-9);
	spread_free(spread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_runs),
		cmocka_unit_test(slower_runs),
		cmocka_unit_test(what_is_learned),
		cmocka_unit_test(samples_are_the_least),
		cmocka_unit_test(sides_unlike_each_other),
		cmocka_unit_test(rows_of_few_samples),
		cmocka_unit_test(rows_alike),
		cmocka_unit_test(odd_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
