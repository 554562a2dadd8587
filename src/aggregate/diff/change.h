/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a measured change may be from the true one, and how probable it is that chance alone made
 * it.
 *
 * What is known without looking at how the measurements vary is how unevenly samples fall: shares
 * as a binomial count, amounts as a Poisson count. The intervals of the two sides are score
 * intervals (Wilson, JASA 22, 1927, p. 209) and the difference's is made of their reaches (R. G.
 * Newcombe, Statistics in Medicine 17, 1998, p. 873, method 10), which holds for small counts too.
 *
 * Samples of one program are not independent, and runs differ. Where the variance that was seen
 * (of stretches of time, or of runs), with Student's distribution of its degrees of freedom, makes
 * a wider interval than that, it is believed instead.
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
	/* How many samples, all of equal weight, there would be for a value of 1, so that value *
	 * exposure are those there were. INFINITY: it was not sampled but measured. */
	double exposure;
};

/* The variance of the difference as it was seen, and how well that is known. */
struct seen_variance {
	double variance;
	double freedom; /* degrees of freedom; 0: nothing was seen */
	/* At most so many times the variance of independent samples is believed; 0: any. */
	double most_uneven;
};

struct change {
	double before, after; /* the values */
	double before_exposure, after_exposure;
	/* 95 %, of after - before; of shares within what that of before allows. */
	struct interval difference;
	/* 95 %, of after / before; up to INFINITY. Where a side is 0 what the difference says: how
	 * small the other may be in proportion to what was measured. */
	struct interval ratio;
	double variance;   /* in use, of the difference */
	double p;	   /* of a difference as large or larger where there is none */
	double unevenness; /* the variance in use is so many times that of independent samples */
	double freedom;	   /* of the variance in use; INFINITY: that of independent samples */
};

struct change change_of(enum measured_kind kind, const struct measured *before,
			const struct measured *after, const struct seen_variance *seen);

/* How large a difference must be to be found with the probability @found (0..1), where one is taken
 * for real if chance alone makes it with no more than @chance. NaN: the variance is not known. */
double change_detectable(const struct change *change, double chance, double found);

/* The 95 % interval of one side, its variance being @unevenness times that of independent samples.
 */
struct interval change_level(enum measured_kind kind, const struct measured *measured,
			     double unevenness, double freedom);

/* The mean of several runs as one measurement: its variance is that of the mean where samples are
 * independent. @count > 0. */
struct measured change_mean(const struct measured *runs, size_t count);

/* The variance of the difference of two means as the runs show it, with Welch's degrees of freedom
 * (Biometrika 34, 1947, p. 28). A side of one run is taken to vary like the other; when both have
 * one nothing was seen. */
struct seen_variance change_of_runs(const struct measured *before, size_t before_count,
				    const struct measured *after, size_t after_count);

/*
 * The variance of the sum of @count differences that belong together in pairs and follow each other
 * in time, from how unlike each other they are. What goes on for longer than one of them makes
 * neighbours alike and hides: if two or four of them together, when @count can be parted so, differ
 * by more than chance would have it (an F test at 5 %), they are taken instead.
 *
 * That takes pairs for alike but for chance. Where as good as every difference points the same way,
 * and so work is there that is missing on the other side, be it all in one phase, their being
 * unlike is the change itself and says little of chance: most_uneven is set.
 * @signs: what the pairs differ by, before anything was taken off to make @differences.
 */
struct seen_variance change_of_pairs(const double *differences, const double *signs, size_t count);

#endif
