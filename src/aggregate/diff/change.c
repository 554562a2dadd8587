/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/change.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "aggregate/student.h"
#include "base/compare.h"
#include "base/xalloc.h"

/* Below this number of samples we use the exact test and score intervals: the normal distribution
 * is not accurate enough. */
static const double few_samples = 100;
static const double certainty = 0.95;
/* Pairs count as having one sign if the sum of the others is at most this part of theirs. */
static const double against = 0.1;
/* The unevenness allowed for such pairs: samples come in bursts, so that four of them tell no more
 * than one independent sample. */
static const double bursts = 4;

static double samples_of(const struct measured *measured)
{
	return isinf(measured->exposure) ? INFINITY : measured->value * measured->exposure;
}

/* The variance for independent samples. */
static double variance_of(enum measured_kind kind, const struct measured *measured)
{
	double value = measured->value;

	if (isinf(measured->exposure))
		return 0;
	return (kind == MEASURED_SHARE ? value * (1 - fmin(value, 1)) : value) / measured->exposure;
}

/* The score interval of a Poisson count: the means that are @z of their own standard deviations
 * away from it. */
static struct interval amount_within(double z, double value, double exposure)
{
	double count = value * exposure;
	double centre = count + z * z / 2, reach = z * sqrt(count + z * z / 4);

	return (struct interval){ fmax(centre - reach, 0) / exposure, (centre + reach) / exposure };
}

static struct interval score_within(enum measured_kind kind, double z, double value,
				    double exposure)
{
	if (isinf(exposure))
		return (struct interval){ value, value };
	if (!(exposure > 0))
		return (struct interval){ 0, kind == MEASURED_SHARE ? 1 : INFINITY };
	if (kind == MEASURED_SHARE)
		return estimate_share_within(z, value * exposure, exposure, exposure);
	return amount_within(z, value, exposure);
}

struct interval change_level(enum measured_kind kind, const struct measured *measured,
			     double unevenness, double freedom)
{
	double z = student_reach(certainty, freedom);
	double reach = z * sqrt(variance_of(kind, measured) * unevenness);

	if (unevenness <= 1 || samples_of(measured) < few_samples)
		return score_within(kind, z, measured->value, measured->exposure / unevenness);
	return (struct interval){ fmax(measured->value - reach, 0),
				  kind == MEASURED_SHARE ? fmin(measured->value + reach, 1)
							 : measured->value + reach };
}

/* Newcombe's interval, from the reach of each side towards the other. */
static struct interval of_scores(enum measured_kind kind, double z, const struct measured *before,
				 const struct measured *after, double unevenness)
{
	struct interval old = score_within(kind, z, before->value, before->exposure / unevenness);
	struct interval new = score_within(kind, z, after->value, after->exposure / unevenness);
	double difference = after->value - before->value;

	return (struct interval){
		difference - hypot(after->value - new.low, old.high - before->value),
		difference + hypot(new.high - after->value, before->value - old.low),
	};
}

/* The logarithm of a ratio is closer to normal than the ratio. A ratio with 0 has none: then the
 * limit of the other side follows from the difference. */
static struct interval of_ratio(double z, double before, double after, double variance,
				const struct interval *difference)
{
	double reach, ratio;

	if (!(before > 0))
		return (struct interval){ after > 0 ? after / fmax(after - difference->low, 0) : 0,
					  INFINITY };
	if (!(after > 0))
		return (struct interval){ 0, fmax(before + difference->high, 0) / before };
	ratio = after / before;
	reach = z * sqrt(variance);
	return (struct interval){ ratio * exp(-reach), ratio * exp(reach) };
}

/* The variance of the ratio's logarithm, for independent samples. */
static double ratio_variance(enum measured_kind kind, const struct measured *before,
			     const struct measured *after)
{
	return variance_of(kind, before) / (before->value * before->value) +
	       variance_of(kind, after) / (after->value * after->value);
}

/* The variance if both sides are alike: their values are estimated together. */
static double pooled_variance(enum measured_kind kind, const struct measured *before,
			      const struct measured *after)
{
	double exposure = before->exposure + after->exposure;
	struct measured pooled = { .value = (before->value * before->exposure +
					     after->value * after->exposure) /
					    exposure };

	if (isinf(exposure) || !(exposure > 0))
		return 0;
	pooled.exposure = 1 / (1 / before->exposure + 1 / after->exposure);
	return variance_of(kind, &pooled);
}

/* From the observed variance, but no lower than for independent samples. */
static double probability(enum measured_kind kind, const struct measured *before,
			  const struct measured *after, const struct change *change,
			  const struct seen_variance *seen)
{
	double difference = after->value - before->value, p, exact, exposure;
	double unevenness = isinf(change->freedom) ? change->unevenness : 1;
	double pooled = pooled_variance(kind, before, after) * unevenness;

	p = pooled > 0 ? student_p(difference / sqrt(pooled), INFINITY) : 0;
	if (!isinf(change->freedom))
		p = fmax(p, student_p(difference / sqrt(seen->variance), seen->freedom));
	if (!(fabs(difference) > 0))
		return 1;
	if (samples_of(before) + samples_of(after) >= few_samples)
		return p;
	exposure = before->exposure + after->exposure;
	unevenness = fmax(change->unevenness, 1);
	exact = student_binomial_p(samples_of(after) / unevenness, samples_of(before) / unevenness,
				   after->exposure / exposure);
	return fmax(p, exact);
}

/* A share can lose at most what was there and gain at most the rest; what was there is itself known
 * only by its interval @old. */
static struct interval possible(struct interval interval, const struct interval *old)
{
	return (struct interval){ fmax(interval.low, -old->high),
				  fmin(interval.high, 1 - old->low) };
}

/* From the variance alone, which is accurate enough for many samples. */
static struct interval of_variance(enum measured_kind kind, double z, const struct measured *before,
				   const struct measured *after, const struct change *change,
				   double variance)
{
	double difference = after->value - before->value, reach = z * sqrt(variance);
	struct interval interval = { difference - reach, difference + reach };
	struct interval old;

	if (kind != MEASURED_SHARE || isinf(before->exposure))
		return interval;
	old = score_within(kind, z, before->value, before->exposure / change->unevenness);
	return possible(interval, &old);
}

/* True if the observed variance gives a wider interval than independent samples. */
static bool says_more(const struct seen_variance *seen, double independent)
{
	if (!(seen->freedom > 0))
		return false;
	return student_reach(certainty, seen->freedom) * sqrt(seen->variance) >
	       student_reach(certainty, INFINITY) * sqrt(independent);
}

/* Intervals and probabilities come from different approximations: if they disagree on whether there
 * is a change, there is none. */
static void agree(struct change *change)
{
	bool is_within = change->difference.low <= 0 && change->difference.high >= 0;
	bool is_real = change->p < 1 - certainty;

	if (is_within && is_real)
		change->p = 1 - certainty;
	if (is_within || is_real)
		return;
	change->difference.low = fmin(change->difference.low, 0);
	change->difference.high = fmax(change->difference.high, 0);
	change->ratio.low = fmin(change->ratio.low, 1);
	change->ratio.high = fmax(change->ratio.high, 1);
}

struct change change_of(enum measured_kind kind, const struct measured *before,
			const struct measured *after, const struct seen_variance *seen)
{
	double independent = variance_of(kind, before) + variance_of(kind, after);
	bool uneven = says_more(seen, independent);
	bool bounded = uneven && seen->most_uneven > 0 && !isinf(before->exposure) &&
		       seen->variance > seen->most_uneven * independent;
	double variance = bounded  ? seen->most_uneven * independent
			  : uneven ? seen->variance
				   : independent;
	struct change change = { .before = before->value,
				 .after = after->value,
				 .before_exposure = before->exposure,
				 .after_exposure = after->exposure,
				 .variance = variance,
				 .unevenness =
					 uneven && independent > 0 ? variance / independent : 1,
				 .freedom = uneven && !bounded ? seen->freedom : INFINITY };
	double z = student_reach(certainty, change.freedom);
	bool few = samples_of(before) + samples_of(after) < few_samples;

	if (few || isinf(change.freedom))
		change.difference = of_scores(kind, z, before, after, change.unevenness);
	else
		change.difference = of_variance(kind, z, before, after, &change, variance);
	change.ratio =
		of_ratio(z, before->value, after->value,
			 independent > 0 ? change.unevenness * ratio_variance(kind, before, after)
					 : variance / (before->value * after->value),
			 &change.difference);
	change.p = probability(kind, before, after, &change, seen);
	agree(&change);
	return change;
}

double change_detectable(const struct change *change, double chance, double found)
{
	double reach = student_reach(1 - chance, change->freedom) +
		       student_reach(2 * found - 1, change->freedom);

	return change->variance > 0 ? reach * sqrt(change->variance) : NAN;
}

struct measured change_mean(const struct measured *runs, size_t count)
{
	double values = 0, inverse = 0, n = (double)count;

	for (size_t i = 0; i < count; i++) {
		values += runs[i].value;
		inverse += 1 / runs[i].exposure;
	}
	return (struct measured){ .value = values / n, .exposure = n * n / inverse };
}

/* The variance of the mean of one side. */
static double spread(const struct measured *runs, size_t count)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		mean += runs[i].value / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (runs[i].value - mean) * (runs[i].value - mean);
	return squares / (double)(count - 1) / (double)count;
}

struct seen_variance change_of_runs(const struct measured *before, size_t before_count,
				    const struct measured *after, size_t after_count)
{
	double old, new, freedom;

	if (before_count < 2 && after_count < 2)
		return (struct seen_variance){ 0 };
	if (before_count < 2) {
		new = spread(after, after_count);
		return (struct seen_variance){ .variance = new *(1 + (double)after_count),
					       .freedom = (double)after_count - 1 };
	}
	if (after_count < 2) {
		old = spread(before, before_count);
		return (struct seen_variance){ .variance = old * (1 + (double)before_count),
					       .freedom = (double)before_count - 1 };
	}
	old = spread(before, before_count);
	new = spread(after, after_count);
	freedom = old * old / (double)(before_count - 1) + new *new / (double)(after_count - 1);
	freedom = freedom > 0 ? (old + new) * (old + new) / freedom : 1;
	return (struct seen_variance){ .variance = old + new, .freedom = freedom };
}

/* From sums of @together consecutive differences. */
static struct seen_variance variance_of_sums(const double *differences, size_t count,
					     size_t together)
{
	size_t sums = count / together;
	double mean = 0, squares = 0, n = (double)sums;

	for (size_t i = 0; i < count; i++)
		mean += differences[i] / n;
	for (size_t i = 0; i < count; i += together) {
		double sum = 0;

		for (size_t j = 0; j < together; j++)
			sum += differences[i + j];
		squares += (sum - mean) * (sum - mean);
	}
	return (struct seen_variance){ .variance = squares * n / (n - 1), .freedom = n - 1 };
}

/* The limit for pairs that all have one sign; 0 for others. */
static double most_uneven(const double *signs, size_t count)
{
	double up = 0, down = 0;

	for (size_t i = 0; i < count; i++) {
		up += fmax(signs[i], 0);
		down += fmax(-signs[i], 0);
	}
	return fmin(up, down) <= against * fmax(up, down) ? bursts : 0;
}

static struct seen_variance variance_of_pairs(const double *differences, size_t count)
{
	static const size_t together[] = { 4, 2 };
	struct seen_variance seen;

	if (count < 2)
		return (struct seen_variance){ 0 };
	seen = variance_of_sums(differences, count, 1);
	for (size_t i = 0; i < sizeof(together) / sizeof(together[0]); i++) {
		struct seen_variance longer;

		if (count % together[i] || count / together[i] < 2)
			continue;
		longer = variance_of_sums(differences, count, together[i]);
		if (student_f_p(longer.variance / seen.variance, longer.freedom, seen.freedom) <
		    1 - certainty)
			return longer;
	}
	return seen;
}

struct seen_variance change_of_pairs(const double *differences, const double *signs, size_t count)
{
	struct seen_variance seen = variance_of_pairs(differences, count);

	seen.most_uneven = most_uneven(signs, count);
	return seen;
}

struct tested {
	double p;
	size_t place;
};

DEFINE_ORDER(less_probable, struct tested, COMPARE(a->p, b->p))

void change_discoveries(const double *p, size_t count, double *ret_q)
{
	struct tested *tested = xcalloc(count, sizeof(*tested));
	size_t tests = 0;
	double least = 1;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(p[i]))
			tested[tests++] = (struct tested){ p[i], i };
		ret_q[i] = p[i];
	}
	if (tests)
		qsort(tested, tests, sizeof(*tested), less_probable);
	for (size_t rank = tests; rank > 0; rank--) {
		const struct tested *test = &tested[rank - 1];

		least = fmin(least, test->p * (double)tests / (double)rank);
		ret_q[test->place] = least;
	}
	free(tested);
}
