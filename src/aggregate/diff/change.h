/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a measured change may be from the true one, and how probable it is that chance alone
 * caused it.
 *
 * Without looking at how measurements vary, we know how unevenly samples fall: shares as a binomial
 * count, amounts as a Poisson count. The intervals of the two sides are score intervals (Wilson,
 * JASA 22, 1927, p. 209). The interval of the difference combines their reaches (R. G. Newcombe,
 * Statistics in Medicine 17, 1998, p. 873, method 10), which holds for small counts too.
 *
 * Samples of one program are not independent, and runs differ. If the observed variance (of
 * stretches of time, or of runs), with Student's distribution for its degrees of freedom, gives a
 * wider interval, it is used instead.
 */
#ifndef AGGREGATE_DIFF_CHANGE_H
#define AGGREGATE_DIFF_CHANGE_H

#include <stddef.h>

#include "aggregate/estimate.h"

enum measured_kind {
	MEASURED_SHARE,	 /* of a whole that was sampled itself: 0..1 */
	MEASURED_AMOUNT, /* an amount of time or events */
};

struct measured {
	double value;
	/* The number of samples of equal weight that a value of 1 would have: value * exposure is
	 * the number there was. INFINITY: measured exactly, not sampled. */
	double exposure;
};

/* The observed variance of the difference, and how well it is known. */
struct seen_variance {
	double variance;
	double freedom; /* degrees of freedom; 0: nothing was observed */
	/* The limit, as a multiple of the variance of independent samples; 0: none. */
	double most_uneven;
};

struct change {
	double before, after; /* the values */
	double before_exposure, after_exposure;
	/* 95 %, of after - before; for shares, limited to what the interval of before allows. */
	struct interval difference;
	/* 95 %, of after / before; up to INFINITY. If a side is 0, derived from the difference: how
	 * small the other side may be in proportion to its measured value. */
	struct interval ratio;
	double variance;   /* used, of the difference */
	double p;	   /* of such a difference or a larger one by chance alone */
	double unevenness; /* the variance used / that of independent samples */
	double freedom;	   /* of the variance used; INFINITY: independent samples */
};

struct change change_of(enum measured_kind kind, const struct measured *before,
			const struct measured *after, const struct seen_variance *seen);

/* How large a difference must be to be found with the probability @found (0..1), if a difference
 * counts as real when chance alone makes it with probability @chance at most. NaN: the variance is
 * unknown. */
double change_detectable(const struct change *change, double chance, double found);

/* The 95 % interval of one side, whose variance is @unevenness times that of independent
 * samples. */
struct interval change_level(enum measured_kind kind, const struct measured *measured,
			     double unevenness, double freedom);

/* The mean of several runs as one measurement. Its exposure gives the variance of the mean for
 * independent samples. @count > 0. */
struct measured change_mean(const struct measured *runs, size_t count);

/* The variance of the difference of two means as the runs show it, with Welch's degrees of freedom
 * (Biometrika 34, 1947, p. 28). A side with one run is assumed to vary like the other; if both have
 * one, nothing was observed. */
struct seen_variance change_of_runs(const struct measured *before, size_t before_count,
				    const struct measured *after, size_t after_count);

/*
 * The variance of the sum of @count differences between pairs that follow each other in time, from
 * how much the differences vary. An effect that lasts longer than one pair makes neighbours alike
 * and hides. So if groups of two or four pairs (where they divide @count) vary by more than chance
 * explains (an F test at 5 %), the groups are used instead.
 *
 * This assumes that pairs differ only by chance. If nearly all differences have the same sign, work
 * exists on one side that the other lacks, even if only in one phase. Then their variation is the
 * change itself and says little about chance: most_uneven is set. @signs: the differences of the
 * pairs before anything was subtracted to make @differences.
 */
struct seen_variance change_of_pairs(const double *differences, const double *signs, size_t count);

/*
 * Of many comparisons a few look remarkable by chance alone. Benjamini and Hochberg's procedure (J.
 * R. Stat. Soc. B 57, 1995, p. 289) limits the expected part of false ones among those that count
 * as real. For each probability of @p (that chance alone causes the result), the lowest limit at
 * which the result counts as real: compare it with 0.05. A NaN in @p was not tested: it does not
 * count and stays NaN. @ret_q may be @p.
 */
void change_discoveries(const double *p, size_t count, double *ret_q);

#endif
