/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/spread.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "aggregate/student.h"
#include "base/vec.h"
#include "base/xalloc.h"

/* A row with fewer samples a run is not normal enough to learn from. */
static const double least_samples_a_run = 2;
/* The log c_i are distributed around log c like Student's t with these degrees of freedom and this
 * scale. */
static const double unlike_freedom = 4, unlike_by = 0.1;
/* A row counts by itself if that makes it this many times as probable. */
static const double alone = 2;
/* Below this probability the two sides vary differently. */
static const double unlike_sides = 0.01;
/* The values of c and c_i to try: the first, and the ratio of each to the one before. */
static const double least_between = 0.002, next_between = 1.26;
/* The prior correlation of rows weighs as much as this many degrees of freedom. */
static const double anyhow_worth = 4;
enum { STEPS = 33 };

/* A number for each value tried. */
struct curve {
	double at[STEPS];
};

struct spread {
	enum measured_kind kind;
	size_t old_count, new_count;
	double usual;
	VEC(struct measured) runs;
	VEC(double) bursts;	    /* by row */
	struct curve unlike[STEPS]; /* by c: the probability of each c_i */
	struct curve probable;	    /* the probability of each c */
	double part;		    /* the part of a row that counts as independent */
};

static double between_at(int step)
{
	return least_between * pow(next_between, step);
}

static double sum_of(const struct curve *curve)
{
	double sum = 0;

	for (int i = 0; i < STEPS; i++)
		sum += curve->at[i];
	return sum;
}

static void normalise(struct curve *curve)
{
	double sum = sum_of(curve);

	for (int i = 0; i < STEPS; i++)
		curve->at[i] /= sum;
}

/* Turns logarithms, up to a constant, into probabilities. */
static void normalise_logarithms(struct curve *curve)
{
	double most = -INFINITY;

	for (int i = 0; i < STEPS; i++)
		most = fmax(most, curve->at[i]);
	for (int i = 0; i < STEPS; i++)
		curve->at[i] = exp(curve->at[i] - most);
	normalise(curve);
}

/* The priors: a half-Cauchy distribution of c, and the distribution of the c_i around each c. */
static void expect_before(struct spread *spread)
{
	for (int i = 0; i < STEPS; i++) {
		double c = between_at(i) / spread->usual;

		spread->probable.at[i] = c / (1 + c * c);
		for (int own = 0; own < STEPS; own++) {
			double far = (own - i) * log(next_between) / unlike_by;

			spread->unlike[i].at[own] =
				pow(1 + far * far / unlike_freedom, -(unlike_freedom + 1) / 2);
		}
		normalise(&spread->unlike[i]);
	}
	normalise(&spread->probable);
}

struct spread *spread_new(enum measured_kind kind, size_t old_count, size_t new_count, double usual)
{
	struct spread *spread = xcalloc(1, sizeof(*spread));

	spread->kind = kind;
	spread->old_count = old_count;
	spread->new_count = new_count;
	spread->usual = usual;
	expect_before(spread);
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

/* d, the degrees of freedom of a row. */
static double freedom_of(const struct spread *spread)
{
	return (double)count_runs(spread) - 2;
}

static double mean_of(const struct measured *runs, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += runs[i].value;
	return sum / (double)count;
}

/* The expected variance of a row. */
struct expected {
	double sampled; /* of one sample; 0: measured exactly, or the row is everything */
	double between; /* between runs */
};

/* g_i. */
static double size_of(const struct spread *spread, const struct measured *runs)
{
	double value = (mean_of(runs, spread->old_count) +
			mean_of(runs + spread->old_count, spread->new_count)) /
		       2;

	return spread->kind == MEASURED_SHARE ? value * (1 - fmin(value, 1)) : value;
}

static struct expected expect(const struct spread *spread, const struct measured *runs,
			      double bursts, double between)
{
	double size = size_of(spread, runs);

	return (struct expected){ size * fmax(bursts, 1), between * size * between * size };
}

static double variance_of(const struct expected *expected, const struct measured *run)
{
	return expected->sampled / run->exposure + expected->between;
}

/* How well one side, of one run or more, fits the expected variances. */
struct side {
	double squares;	   /* relative to the variances, around the weighted mean */
	double likelihood; /* its logarithm, without the mean (REML) */
};

static struct side look_at(const struct expected *expected, const struct measured *runs,
			   size_t count)
{
	double weights = 1 / variance_of(expected, &runs[0]);
	double sum = 0, squares = 0, logarithms = log(weights);

	/* Relative to the first run, to keep precision. */
	for (size_t i = 1; i < count; i++) {
		double weight = 1 / variance_of(expected, &runs[i]);
		double value = runs[i].value - runs[0].value;

		weights += weight;
		sum += weight * value;
		squares += weight * value * value;
		logarithms += log(weight);
	}
	squares = fmax(squares - sum * sum / weights, 0);
	return (struct side){ squares, (logarithms - squares - log(weights)) / 2 };
}

/* The logarithm of the likelihood of a row whose runs differ by c_i. */
static double likelihood_of(const struct spread *spread, const struct measured *runs, double bursts,
			    double between)
{
	struct expected expected = expect(spread, runs, bursts, between);

	return look_at(&expected, runs, spread->old_count).likelihood +
	       look_at(&expected, runs + spread->old_count, spread->new_count).likelihood;
}

/* The likelihoods by c_i, scaled so that the largest is 1. */
static struct curve likelihoods(const struct spread *spread, const struct measured *runs,
				double bursts)
{
	double most = -INFINITY;
	struct curve own;

	for (int i = 0; i < STEPS; i++) {
		own.at[i] = likelihood_of(spread, runs, bursts, between_at(i));
		most = fmax(most, own.at[i]);
	}
	for (int i = 0; i < STEPS; i++)
		own.at[i] = exp(own.at[i] - most);
	return own;
}

/* The logarithm of the likelihood of a row by c, for its independent part. @own: likelihoods by
 * c_i. */
static struct curve told_by(const struct spread *spread, const struct curve *own)
{
	struct curve told;

	for (int i = 0; i < STEPS; i++) {
		double likelihood = 0;

		for (int step = 0; step < STEPS; step++)
			likelihood += spread->unlike[i].at[step] * own->at[step];
		told.at[i] = spread->part * log(likelihood);
	}
	return told;
}

/* Rows that were measured exactly have no expectation, nor does a row that is everything. */
static bool is_learned(const struct spread *spread, const struct measured *runs)
{
	double samples = 0;

	for (size_t i = 0; i < count_runs(spread); i++)
		samples += runs[i].value * runs[i].exposure;
	return samples >= least_samples_a_run * (double)count_runs(spread) && !isinf(samples) &&
	       size_of(spread, runs) > 0;
}

void spread_add(struct spread *spread, const struct measured *runs, double bursts)
{
	if (!is_learned(spread, runs))
		return;
	for (size_t i = 0; i < count_runs(spread); i++)
		*vec_push(&spread->runs) = runs[i];
	*vec_push(&spread->bursts) = bursts;
}

static const struct measured *runs_of(const struct spread *spread, size_t row)
{
	return &spread->runs.items[row * count_runs(spread)];
}

/* The weight of a row's evidence on c: the variance between runs grows with the square of its size,
 * that of samples only with its size. */
static double weight_of(const struct spread *spread, size_t row)
{
	return size_of(spread, runs_of(spread, row));
}

/* Adds the products of a row's residuals, normalised and weighted. */
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
 * How many independent rows tell as much about c as all of these correlated ones: 1 / (sum over
 * pairs of rows of their weights times their squared correlation). With d degrees of freedom a
 * squared correlation is 1 / d by chance, which is subtracted. So few degrees give a poor estimate,
 * so it is drawn towards a prior: the shares add up to 1, so one of them follows from the others;
 * amounts all belong to one run.
 */
static double independent_rows(const struct spread *spread)
{
	size_t count = count_runs(spread);
	_cleanup_free_ double *matrix = xcalloc(count * count, sizeof(*matrix));
	_cleanup_free_ double *scratch = xcalloc(count, sizeof(*scratch));
	double weights = 0, weights_squared = 0, squares = 0, by_chance = 1 / freedom_of(spread);
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
	return (freedom_of(spread) + anyhow_worth) /
	       (freedom_of(spread) * alike + anyhow_worth * anyhow);
}

void spread_settle(struct spread *spread)
{
	size_t rows = spread->bursts.count;

	if (!rows || !(freedom_of(spread) > 0))
		return;
	spread->part = fmin(independent_rows(spread) / (double)rows, 1);
	for (int i = 0; i < STEPS; i++)
		spread->probable.at[i] = log(spread->probable.at[i]);
	for (size_t row = 0; row < rows; row++) {
		struct curve own =
			likelihoods(spread, runs_of(spread, row), spread->bursts.items[row]);
		struct curve told = told_by(spread, &own);

		for (int i = 0; i < STEPS; i++)
			spread->probable.at[i] += told.at[i];
	}
	normalise_logarithms(&spread->probable);
}

struct spread_facts spread_learned(const struct spread *spread)
{
	struct spread_facts facts = { .rows = spread->bursts.count };
	double below = 0;

	for (int i = 0; i < STEPS && below < 0.5; i++) {
		below += spread->probable.at[i];
		facts.between = between_at(i);
	}
	return facts;
}

static int most_probable(const struct curve *probable)
{
	int most = 0;

	for (int i = 1; i < STEPS; i++)
		most = probable->at[i] > probable->at[most] ? i : most;
	return most;
}

/* The probability of each c_i of a row: from the other rows, then from its own runs as well. */
static struct curve probable_of_row(const struct spread *spread, const struct measured *runs,
				    double bursts)
{
	struct curve own = likelihoods(spread, runs, bursts), told = told_by(spread, &own);
	struct curve others = spread->probable, row = { 0 };

	for (int i = 0; is_learned(spread, runs) && i < STEPS; i++)
		others.at[i] /= exp(told.at[i]);
	normalise(&others);
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < STEPS; i++)
			row.at[step] += others.at[i] * spread->unlike[i].at[step];
		row.at[step] *= own.at[step];
	}
	if (sum_of(&own) / STEPS > alone * sum_of(&row) &&
	    most_probable(&own) > most_probable(&row))
		row = own;
	normalise(&row);
	return row;
}

/* True if one side varies unlike the other. */
static bool sides_differ(const struct spread *spread, const struct measured *runs,
			 const struct expected *expected)
{
	double old_freedom = (double)spread->old_count - 1;
	double new_freedom = (double)spread->new_count - 1;
	double old, new;

	if (old_freedom < 1 || new_freedom < 1)
		return false;
	old = look_at(expected, runs, spread->old_count).squares / old_freedom;
	new = look_at(expected, runs + spread->old_count, spread->new_count).squares / new_freedom;
	return student_f_p(old / new, old_freedom, new_freedom) < unlike_sides / 2 ||
	       student_f_p(new / old, new_freedom, old_freedom) < unlike_sides / 2;
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

/* The scaled inverse chi-squared distribution whose reciprocal, a gamma distribution, has the mean
 * and the variance of the reciprocals of these variances. */
static struct seen_variance summarise(const struct curve *variances, const struct curve *probable)
{
	double mean = 0, beyond = 0;

	for (int i = 0; i < STEPS; i++)
		mean += probable->at[i] / variances->at[i];
	for (int i = 0; i < STEPS; i++) {
		double difference = 1 / variances->at[i] - mean;

		beyond += probable->at[i] * difference * difference;
	}
	return (struct seen_variance){ .variance = 1 / mean,
				       .freedom =
					       beyond > 0 ? 2 * mean * mean / beyond : INFINITY };
}

struct seen_variance spread_of(const struct spread *spread, const struct measured *runs,
			       double bursts)
{
	const struct measured *new = runs + spread->old_count;
	struct curve probable, variances;
	struct expected expected;

	if (!(size_of(spread, runs) > 0) || isinf(runs->exposure))
		return change_of_runs(runs, spread->old_count, new, spread->new_count);
	probable = probable_of_row(spread, runs, bursts);
	expected = expect(spread, runs, bursts, between_at(most_probable(&probable)));
	if (sides_differ(spread, runs, &expected))
		return change_of_runs(runs, spread->old_count, new, spread->new_count);
	for (int i = 0; i < STEPS; i++) {
		expected = expect(spread, runs, bursts, between_at(i));
		variances.at[i] = variance_of_mean(&expected, runs, spread->old_count) +
				  variance_of_mean(&expected, new, spread->new_count);
	}
	return summarise(&variances, &probable);
}
