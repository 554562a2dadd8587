/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/spread.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "aggregate/student.h"
#include "base/vec.h"
#include "base/xalloc.h"

/* A row of fewer samples a run is not normal enough to learn from. */
static const double least_samples_a_run = 2;
/* Below so small a probability a row is unlike the others, or a side unlike the other. */
static const double unlike = 0.01;
/* The 99 % quantile of the normal distribution. */
static const double most_by_chance = 2.326;
/* A logarithm of less tells nothing more. */
static const double least_ratio = 1e-3;
/* Runs that differ by more than ten times what they have. */
static const double most_between = 10;
/* The degrees of freedom that what is known of rows anyhow is worth. */
static const double anyhow_worth = 4;
enum {
	HALVINGS = 60,
	NEWTON_STEPS = 50,
};

struct spread {
	enum measured_kind kind;
	size_t old_count, new_count;
	double freedom; /* d, of a row by itself */
	VEC(struct measured) runs;
	VEC(double) bursts; /* by row */
	struct spread_facts facts;
};

struct spread *spread_new(enum measured_kind kind, size_t old_count, size_t new_count)
{
	struct spread *spread = xcalloc(1, sizeof(*spread));

	spread->kind = kind;
	spread->old_count = old_count;
	spread->new_count = new_count;
	spread->freedom = (double)(old_count + new_count) - 2;
	spread->facts.scale = 1;
	return spread;
}

void spread_free(struct spread *spread)
{
	if (!spread)
		return;
	vec_free(&spread->runs);
	vec_free(&spread->bursts);
	free(spread);
}

static size_t count_runs(const struct spread *spread)
{
	return spread->old_count + spread->new_count;
}

static double mean_of(const struct measured *runs, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += runs[i].value;
	return sum / (double)count;
}

/* What a row is expected to vary by. */
struct expected {
	double sampled; /* of one sample; 0: it was measured, or there is nothing else */
	double between; /* of a run */
};

static struct expected expect(const struct spread *spread, const struct measured *runs,
			      double bursts, double between)
{
	double value = (mean_of(runs, spread->old_count) +
			mean_of(runs + spread->old_count, spread->new_count)) /
		       2;
	double size = spread->kind == MEASURED_SHARE ? value * (1 - fmin(value, 1)) : value;

	return (struct expected){ size * fmax(bursts, 1), between * size * between * size };
}

static double variance_of(const struct expected *expected, const struct measured *run)
{
	return expected->sampled / run->exposure + expected->between;
}

/* The sum of squares of one side in proportion to what is expected, around the mean by which it is
 * least. */
static double squares_of(const struct expected *expected, const struct measured *runs, size_t count)
{
	double weights = 0, mean = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		weights += 1 / variance_of(expected, &runs[i]);
		mean += runs[i].value / variance_of(expected, &runs[i]);
	}
	mean /= weights;
	for (size_t i = 0; i < count; i++)
		squares += (runs[i].value - mean) * (runs[i].value - mean) /
			   variance_of(expected, &runs[i]);
	return squares;
}

/* u of a row. */
static double ratio_of(const struct spread *spread, const struct measured *runs,
		       const struct expected *expected)
{
	return (squares_of(expected, runs, spread->old_count) +
		squares_of(expected, runs + spread->old_count, spread->new_count)) /
	       spread->freedom;
}

static double samples_of(const struct measured *run)
{
	return run->value * run->exposure;
}

void spread_add(struct spread *spread, const struct measured *runs, double bursts)
{
	double samples = 0, size = expect(spread, runs, 1, 0).sampled;

	for (size_t i = 0; i < count_runs(spread); i++)
		samples += samples_of(&runs[i]);
	/* What was measured exactly has no expectation, nor has what is all there is. */
	if (!(samples >= least_samples_a_run * (double)count_runs(spread)) || isinf(samples) ||
	    !(size > 0))
		return;
	for (size_t i = 0; i < count_runs(spread); i++)
		*vec_push(&spread->runs) = runs[i];
	*vec_push(&spread->bursts) = bursts;
}

static const struct measured *runs_of(const struct spread *spread, size_t row)
{
	return &spread->runs.items[row * count_runs(spread)];
}

/* How much a row says of c: what runs differ by grows with its square, what samples do only with
 * its size. */
static double weight_of(const struct spread *spread, size_t row)
{
	return expect(spread, runs_of(spread, row), 1, 0).sampled;
}

/* The most that chance makes of u where 1 is expected (Wilson and Hilferty, PNAS 17, 1931). */
static double most_ratio(double freedom)
{
	double part = 2 / (9 * freedom), root = 1 - part + most_by_chance * sqrt(part);

	return root * root * root;
}

/* The mean of all u where runs differ by @between. */
static double mean_ratio(const struct spread *spread, double between)
{
	double sum = 0, weights = 0, most = most_ratio(spread->freedom);

	for (size_t row = 0; row < spread->bursts.count; row++) {
		struct expected expected =
			expect(spread, runs_of(spread, row), spread->bursts.items[row], between);
		double weight = weight_of(spread, row);

		sum += weight * fmin(ratio_of(spread, runs_of(spread, row), &expected), most);
		weights += weight;
	}
	return sum / weights;
}

static void find_between(struct spread *spread)
{
	double low = 0, high = most_between;
	double least = mean_ratio(spread, 0);

	if (least <= 1) {
		spread->facts.scale = least;
		return;
	}
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (mean_ratio(spread, middle) > 1)
			low = middle;
		else
			high = middle;
	}
	spread->facts.between = high;
}

/* The second derivative of log gamma: by its recurrence to where its asymptotic series holds (NIST
 * Digital Library of Mathematical Functions, 5.15). */
static double trigamma(double x)
{
	double sum = 0, inverse;

	while (x < 10) {
		sum += 1 / (x * x);
		x++;
	}
	inverse = 1 / (x * x);
	return sum + 1 / x + inverse / 2 +
	       inverse / x * (1. / 6 - inverse * (1. / 30 - inverse * (1. / 42 - inverse / 30)));
}

/* And the third. */
static double tetragamma(double x)
{
	double sum = 0, inverse;

	while (x < 10) {
		sum -= 2 / (x * x * x);
		x++;
	}
	inverse = 1 / (x * x);
	return sum - inverse * (1 + 1 / x + inverse * (0.5 - inverse * (1. / 6 - inverse / 6)));
}

/* Newton's method on 1 / trigamma, as in the appendix of Smyth's article. */
static double trigamma_inverse(double value)
{
	double x = 0.5 + 1 / value;

	for (int i = 0; i < NEWTON_STEPS; i++) {
		double now = trigamma(x), step = now * (1 - now / value) / tetragamma(x);

		x += step;
		if (-step / x < 1e-8)
			break;
	}
	return x;
}

/* By how unlike each other the u are: Smyth's d0. */
static double freedom_of_likeness(const struct spread *spread)
{
	double sum = 0, squares = 0, n = (double)spread->bursts.count, most, beyond;

	most = spread->facts.scale * most_ratio(spread->freedom);
	for (size_t row = 0; row < spread->bursts.count; row++) {
		const struct measured *runs = runs_of(spread, row);
		struct expected expected =
			expect(spread, runs, spread->bursts.items[row], spread->facts.between);
		double ratio = fmin(ratio_of(spread, runs, &expected), most);
		double e = log(fmax(ratio, least_ratio));

		sum += e;
		squares += e * e;
	}
	beyond = (squares - sum * sum / n) / (n - 1) - trigamma(spread->freedom / 2);
	return beyond > 0 ? 2 * trigamma_inverse(beyond) : INFINITY;
}

/* Adds what the residuals of a row have in common with each other. */
static void add_residuals(const struct spread *spread, size_t row, double *matrix, double *scratch)
{
	const struct measured *runs = runs_of(spread, row);
	size_t count = count_runs(spread), old = spread->old_count;
	double means[2] = { mean_of(runs, old), mean_of(runs + old, spread->new_count) };
	double length = 0, weight = weight_of(spread, row);

	for (size_t i = 0; i < count; i++) {
		scratch[i] = runs[i].value - means[i >= old];
		length += scratch[i] * scratch[i];
	}
	for (size_t i = 0; length > 0 && i < count; i++) {
		for (size_t j = 0; j < count; j++)
			matrix[i * count + j] += weight * scratch[i] * scratch[j] / length;
	}
}

/*
 * How many independent rows tell as much of what runs differ by as all of these, which are alike:
 * 1 / (sum over pairs of rows of their weights times their squared correlation). A correlation from
 * d degrees of freedom is 1 / d by chance, which is taken off. From so few it is not known well, so
 * it is drawn towards what rows have in common anyhow: shares that they add up to 1, so that one of
 * them follows from the others; amounts that all are of one run.
 */
static double independent_rows(const struct spread *spread)
{
	size_t count = count_runs(spread);
	_cleanup_free_ double *matrix = xcalloc(count * count, sizeof(*matrix));
	_cleanup_free_ double *scratch = xcalloc(count, sizeof(*scratch));
	double weights = 0, weights_squared = 0, squares = 0, by_chance = 1 / spread->freedom;
	double alike, anyhow;

	for (size_t row = 0; row < spread->bursts.count; row++) {
		double weight = weight_of(spread, row);

		weights += weight;
		weights_squared += weight * weight;
		add_residuals(spread, row, matrix, scratch);
	}
	for (size_t i = 0; i < count * count; i++)
		squares += matrix[i] * matrix[i];
	weights_squared /= weights * weights;
	squares /= weights * weights;
	alike = by_chance < 1 ? (squares - by_chance) / (1 - by_chance) : 1;
	alike = fmin(fmax(alike, weights_squared), 1);
	anyhow = spread->kind == MEASURED_SHARE && weights_squared < 0.5
			 ? 1 / (1 / weights_squared - 1)
			 : 1;
	return (spread->freedom + anyhow_worth) / (spread->freedom * alike + anyhow_worth * anyhow);
}

void spread_settle(struct spread *spread)
{
	double independent;

	spread->facts.rows = spread->bursts.count;
	if (spread->bursts.count < 2 || !(spread->freedom > 0))
		return;
	find_between(spread);
	independent = independent_rows(spread);
	spread->facts.freedom =
		fmin(freedom_of_likeness(spread), spread->freedom * (independent - 1));
}

struct spread_facts spread_learned(const struct spread *spread)
{
	return spread->facts;
}

/* Does one side vary unlike the other? */
static bool sides_differ(const struct spread *spread, const struct measured *runs,
			 const struct expected *expected)
{
	double old_freedom = (double)spread->old_count - 1;
	double new_freedom = (double)spread->new_count - 1;
	double old, new;

	if (old_freedom < 1 || new_freedom < 1)
		return false;
	old = squares_of(expected, runs, spread->old_count) / old_freedom;
	new = squares_of(expected, runs + spread->old_count, spread->new_count) / new_freedom;
	return student_f_p(old / new, old_freedom, new_freedom) < unlike / 2 ||
	       student_f_p(new / old, new_freedom, old_freedom) < unlike / 2;
}

/* The variance of the mean of a side. */
static double variance_of_mean(const struct expected *expected, const struct measured *runs,
			       size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += variance_of(expected, &runs[i]);
	return sum / (double)count / (double)count;
}

struct seen_variance spread_of(const struct spread *spread, const struct measured *runs,
			       double bursts)
{
	const struct spread_facts *facts = &spread->facts;
	const struct measured *new = runs + spread->old_count;
	struct expected expected = expect(spread, runs, bursts, facts->between);
	double ratio, freedom = spread->freedom, variance;

	if (!(expected.sampled > 0) || isinf(runs->exposure))
		return change_of_runs(runs, spread->old_count, new, spread->new_count);
	ratio = ratio_of(spread, runs, &expected);
	if (sides_differ(spread, runs, &expected))
		return change_of_runs(runs, spread->old_count, new, spread->new_count);
	if (facts->freedom > 0 &&
	    student_f_p(ratio / facts->scale, freedom, facts->freedom) >= unlike) {
		ratio = isinf(facts->freedom) ? facts->scale
					      : (facts->freedom * facts->scale + freedom * ratio) /
							(facts->freedom + freedom);
		freedom += facts->freedom;
	}
	variance = variance_of_mean(&expected, runs, spread->old_count) +
		   variance_of_mean(&expected, new, spread->new_count);
	return (struct seen_variance){ .variance = ratio * variance, .freedom = freedom };
}
