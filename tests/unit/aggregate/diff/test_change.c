/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Intervals and probabilities of changes against simulation: the truth is known, and 95 % of the
 * intervals must hold it. */
#include "aggregate/fixture.h"

#include "aggregate/diff/change.h"
#include "aggregate/draws.h"

enum { DRAWS = 1000, MOST_RUNS = 8, STRETCHES = 24 };

static const struct seen_variance unseen;
static const uint64_t first_seed = 88172645463325252ULL;

static struct measured share_of(double hits, double n)
{
	return (struct measured){ hits / n, n };
}

static void check_percent(const char *what, double value, double held, double least, double most)
{
	double percent = 100 * held / DRAWS;

	if (percent < least || percent > most)
		fail_msg("%s of %g: held in %.2f %% of the draws", what, value, percent);
}

/* R: prop.test gives other bounds; those of Newcombe's paper (1998), table II: 56/70 and 48/80 have
 * the difference 0.2 within 0.0524 and 0.3339. */
static void newcombes_own_example(void **state)
{
	struct measured a = share_of(48, 80), b = share_of(56, 70);
	struct change change = change_of(MEASURED_SHARE, &a, &b, &unseen);

	assert_float_equal(change.difference.low, 0.0524, 5e-5);
	assert_float_equal(change.difference.high, 0.3339, 5e-5);
}

static void shares(void **state)
{
	static const struct {
		double old, new;
		int old_n, new_n;
	} cases[] = {
		{ 0.3, 0.3, 400, 400 },	  { 0.05, 0.08, 600, 300 }, { 0.5, 0.45, 300, 900 },
		{ 0.02, 0.02, 500, 500 }, { 0.9, 0.8, 300, 300 },   { 0.1, 0.3, 200, 150 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t seed = first_seed + i;
		double truth = cases[i].new - cases[i].old, held = 0, ratios = 0;

		for (int at = 0; at < DRAWS; at++) {
			double x = draw_binomial(&seed, cases[i].old_n, cases[i].old);
			double y = draw_binomial(&seed, cases[i].new_n, cases[i].new);
			struct measured old = share_of(x, cases[i].old_n);
			struct measured new = share_of(y, cases[i].new_n);
			struct change change = change_of(MEASURED_SHARE, &old, &new, &unseen);
			double ratio = cases[i].new / cases[i].old;

			held += change.difference.low <= truth && truth <= change.difference.high;
			ratios += change.ratio.low <= ratio && ratio <= change.ratio.high;
		}
		/* Rather too wide than too narrow where there are few. */
		check_percent("difference of shares", truth, held, 93, 98);
		check_percent("ratio of shares", cases[i].new, ratios, 93, 97.5);
	}
}

/* Times are counts of ticks: of 1 ms in the old run, of 0.25 ms in the new one. */
static void amounts(void **state)
{
	static const double seconds[][2] = {
		{ 0.2, 0.2 }, { 0.5, 0.6 }, { 0.05, 0.05 }, { 0.02, 0.06 }
	};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		double old_s = seconds[i][0], new_s = seconds[i][1], held = 0, ratios = 0;
		uint64_t seed = first_seed + 100 + i;

		for (int at = 0; at < DRAWS; at++) {
			struct measured old = { draw_poisson(&seed, old_s * 1000) / 1000, 1000 };
			struct measured new = { draw_poisson(&seed, new_s * 4000) / 4000, 4000 };
			struct change change = change_of(MEASURED_AMOUNT, &old, &new, &unseen);
			double truth = new_s - old_s, ratio = new_s / old_s;

			held += change.difference.low <= truth && truth <= change.difference.high;
			ratios += change.ratio.low <= ratio && ratio <= change.ratio.high;
		}
		check_percent("difference of times", new_s - old_s, held, 93, 97);
		check_percent("ratio of times", new_s / old_s, ratios, 93, 97);
	}
}

static void levels(void **state)
{
	uint64_t seed = first_seed;
	double shares_held = 0, times_held = 0;

	for (int at = 0; at < DRAWS; at++) {
		struct measured share = share_of(draw_binomial(&seed, 400, 0.2), 400);
		struct measured time = { draw_poisson(&seed, 300) / 1000, 1000 };
		struct interval of_share = change_level(MEASURED_SHARE, &share, 1, INFINITY);
		struct interval of_time = change_level(MEASURED_AMOUNT, &time, 1, INFINITY);

		shares_held += of_share.low <= 0.2 && 0.2 <= of_share.high;
		times_held += of_time.low <= 0.3 && 0.3 <= of_time.high;
	}
	check_percent("share", 0.2, shares_held, 93, 97);
	check_percent("time", 0.3, times_held, 93, 97);
}

/* Runs that differ by more than their samples do: @between is the deviation of the share between
 * runs; 0: they differ by their samples alone. */
static double coverage_of_runs(size_t old_count, size_t new_count, double between, uint64_t seed)
{
	enum { SAMPLES = 300 };
	double held = 0;

	for (int at = 0; at < DRAWS; at++) {
		struct measured runs[2][MOST_RUNS], mean[2];
		size_t count[2] = { old_count, new_count };
		struct seen_variance seen;
		struct change change;

		for (size_t side = 0; side < 2; side++) {
			for (size_t run = 0; run < count[side]; run++) {
				double share =
					0.3 + 0.02 * (double)side + between * draw_normal(&seed);

				runs[side][run] =
					share_of(draw_binomial(&seed, SAMPLES, share), SAMPLES);
			}
			mean[side] = change_mean(runs[side], count[side]);
		}
		seen = change_of_runs(runs[0], old_count, runs[1], new_count);
		change = change_of(MEASURED_SHARE, &mean[0], &mean[1], &seen);
		held += change.difference.low <= 0.02 && 0.02 <= change.difference.high;
	}
	return held;
}

static void several_runs(void **state)
{
	static const struct {
		size_t old, new;
		double between;
	} cases[] = {
		{ 3, 3, 0 },   { 3, 3, 0.05 }, { 5, 5, 0 },    { 5, 5, 0.03 },
		{ 5, 5, 0.1 }, { 8, 4, 0.05 }, { 1, 6, 0.04 }, { 6, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_percent("several runs", cases[i].between,
			      coverage_of_runs(cases[i].old, cases[i].new, cases[i].between,
					       first_seed + i),
			      93, 98.5);
}

enum { SAMPLES = 1920, DRAWS_OF_PHASES = 1000 };

/* What share of its samples a function has in each phase of a run: 10 % or 50 %. */
static void draw_phases(uint64_t *seed, double *shares, int phases)
{
	for (int i = 0; i < phases; i++)
		shares[i] = draw(seed) < 0.5 ? 0.1 : 0.5;
}

/* The samples of a run, by stretch of time. */
static double draw_run(uint64_t *seed, const double *shares, int phases, double *hits)
{
	double sum = 0;

	for (int i = 0; i < SAMPLES; i++) {
		bool hit = draw(seed) < shares[i * phases / SAMPLES];

		hits[i * STRETCHES / SAMPLES] += hit;
		sum += hit;
	}
	return sum;
}

/*
 * One run a side of a program whose samples are not independent: what it does goes on for a while.
 * @same: both runs have the same phases, else each has its own. Returns the percentage of intervals
 * that hold the truth, which is that nothing changed; @blocks: made with a look at stretches of
 * time.
 */
static double coverage_of_phases(int phases, bool same, bool blocks)
{
	uint64_t seed = first_seed;
	double held = 0;

	for (int at = 0; at < DRAWS_OF_PHASES; at++) {
		double hits[2][STRETCHES] = { 0 }, differences[STRETCHES], shares[2][SAMPLES];
		struct seen_variance seen = unseen;
		struct measured old, new;
		struct change change;

		draw_phases(&seed, shares[0], phases);
		draw_phases(&seed, shares[1], phases);
		old = share_of(draw_run(&seed, shares[0], phases, hits[0]), SAMPLES);
		new = share_of(draw_run(&seed, shares[!same], phases, hits[1]), SAMPLES);
		for (int i = 0; i < STRETCHES; i++)
			differences[i] = (hits[1][i] - hits[0][i]) / SAMPLES;
		if (blocks)
			seen = change_of_pairs(differences, differences, STRETCHES);
		change = change_of(MEASURED_SHARE, &old, &new, &seen);
		held += change.difference.low <= 0 && 0 <= change.difference.high;
	}
	return 100 * held / DRAWS_OF_PHASES;
}

static void phases_that_come_and_go(void **state)
{
	static const struct {
		int phases;
		bool same;
	} cases[] = { { 96, false }, { 48, false }, { 24, false },     { 4, true },
		      { 24, true },  { 48, true },  { SAMPLES, false } };

	/* Without looking at stretches of time the interval is far too narrow. */
	assert_true(coverage_of_phases(48, false, false) < 80);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double held = coverage_of_phases(cases[i].phases, cases[i].same, true);

		/* Phases that are the same leave less to chance than independent samples would. */
		if (held < 93 || held > (cases[i].same ? 99.5 : 97.5))
			fail_msg("%d phases: held in %.1f %%", cases[i].phases, held);
	}
}

/* A function that is in one phase of one run alone, the last @stretches of it, of @n samples in all
 * and @hits of them its own. */
static struct change one_phase(double n, double hits, int stretches, bool is_new)
{
	double differences[STRETCHES], signs[STRETCHES];
	struct measured none = share_of(0, n), some = share_of(hits, n);
	double sign = is_new ? 1 : -1;
	struct seen_variance seen;

	for (int i = 0; i < STRETCHES; i++) {
		signs[i] = i < STRETCHES - stretches ? 0 : sign * hits / n / stretches;
		differences[i] = signs[i] - sign * hits / n / STRETCHES;
	}
	seen = change_of_pairs(differences, signs, STRETCHES);
	return is_new ? change_of(MEASURED_SHARE, &none, &some, &seen)
		      : change_of(MEASURED_SHARE, &some, &none, &seen);
}

static void one_phase_of_one_run(void **state)
{
	static const struct {
		double n, hits;
		int stretches;
	} cases[] = { { 250, 120, 12 }, { 173, 52, 8 }, { 1000, 60, 2 }, { 800, 400, 12 } };
	struct measured fifth = share_of(200, 1000), third = share_of(300, 1000);
	struct seen_variance wild = { .variance = 0.05, .freedom = 5 };
	struct change change;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double n = cases[i].n, hits = cases[i].hits, share = hits / n;
		struct change came = one_phase(n, hits, cases[i].stretches, true);
		struct change went = one_phase(n, hits, cases[i].stretches, false);

		assert_true(came.p < 0.001 && went.p < 0.001);
		assert_true(came.difference.low > share / 4 && came.difference.high <= 1);
		assert_true(went.difference.high < -share / 4 && went.difference.low > -1);
		assert_true(came.ratio.low > 1 && went.ratio.high < 0.75);
	}
	/* However unlike the stretches are, a share cannot change by more than there is. */
	change = change_of(MEASURED_SHARE, &fifth, &third, &wild);
	assert_true(change.difference.low > -0.8 && change.difference.high < 1);
	/* A burst of a few samples is none. */
	assert_true(one_phase(1000, 13, 1, true).p > 0.01);
}

/* Work that moves to another time is as much as it was. */
static void one_phase_that_moves(void **state)
{
	double differences[STRETCHES] = { 0 };

	for (int i = 0; i < STRETCHES; i++)
		differences[i] = (i < STRETCHES / 2 ? 1 : -1) * 0.5 / (STRETCHES / 2.);
	assert_false(change_of_pairs(differences, differences, STRETCHES).most_uneven > 0);
	for (int i = 0; i < STRETCHES; i++)
		differences[i] *= i < STRETCHES / 2;
	assert_true(change_of_pairs(differences, differences, STRETCHES).most_uneven > 1);
}

/* What was measured and not sampled has no doubt but what was seen. */
static void exact_amounts(void **state)
{
	struct measured old = { 5, INFINITY }, new = { 7, INFINITY };
	struct seen_variance seen = { .variance = 1, .freedom = 10 };
	struct change change = change_of(MEASURED_AMOUNT, &old, &new, &unseen);

	assert_float_equal(change.difference.low, 2, 1e-12);
	assert_float_equal(change.difference.high, 2, 1e-12);
	assert_float_equal(change.p, 0, 1e-12);
	change = change_of(MEASURED_AMOUNT, &old, &new, &seen);
	assert_float_equal(change.difference.high, 2 + 2.228139, 1e-5);
	assert_float_equal(change.p, 0.0734, 1e-4);
}

/* Of samples that come from the same program the probabilities are spread evenly: no more than 5 %
 * of them are below 5 %, also of rows with few samples. */
static void probabilities_are_honest(void **state)
{
	static const double shares_of_rows[] = { 0.002, 0.01, 0.05, 0.3 };

	for (size_t i = 0; i < sizeof(shares_of_rows) / sizeof(shares_of_rows[0]); i++) {
		double share = shares_of_rows[i], small = 0, tiny = 0;
		uint64_t seed = first_seed + 200 + i;

		for (int at = 0; at < DRAWS; at++) {
			struct measured old = share_of(draw_binomial(&seed, 1000, share), 1000);
			struct measured new = share_of(draw_binomial(&seed, 500, share), 500);
			struct change change = change_of(MEASURED_SHARE, &old, &new, &unseen);

			small += change.p <= 0.05;
			tiny += change.p <= 0.005;
		}
		check_percent("p <= 0.05", share, small, 0, 6.5);
		check_percent("p <= 0.005", share, tiny, 0, 1);
	}
}

static void appears_and_goes(void **state)
{
	struct measured none = share_of(0, 1000), some = share_of(20, 1000);
	struct change change = change_of(MEASURED_SHARE, &none, &some, &unseen);

	assert_true(change.p < 1e-5);
	assert_true(change.difference.low > 0.01);
	assert_true(isinf(change.ratio.high));
	assert_float_equal(change.ratio.low, 0.02 / (0.02 - change.difference.low), 1e-12);
	assert_true(change.ratio.low > 2);
	change = change_of(MEASURED_SHARE, &some, &none, &unseen);
	assert_true(change.difference.high < -0.01);
	assert_float_equal(change.ratio.low, 0, 1e-12);
	assert_float_equal(change.ratio.high, 1 + change.difference.high / 0.02, 1e-12);
	assert_true(change.ratio.high < 0.5 && change.difference.low < -0.02);
	change = change_of(MEASURED_SHARE, &none, &none, &unseen);
	assert_float_equal(change.p, 1, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newcombes_own_example),
		cmocka_unit_test(shares),
		cmocka_unit_test(amounts),
		cmocka_unit_test(levels),
		cmocka_unit_test(several_runs),
		cmocka_unit_test(phases_that_come_and_go),
		cmocka_unit_test(one_phase_of_one_run),
		cmocka_unit_test(one_phase_that_moves),
		cmocka_unit_test(exact_amounts),
		cmocka_unit_test(probabilities_are_honest),
		cmocka_unit_test(appears_and_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
