/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a sampled share, or the mean of a few measurements, may be from the true one. */
#ifndef AGGREGATE_ESTIMATE_H
#define AGGREGATE_ESTIMATE_H

#include <stddef.h>

struct interval {
	double low, high; /* shares, 0..1 */
};

/*
 * The 95 % interval of the share @part / @whole, where @whole is the sum of the weights of all
 * samples and @whole_squared the sum of their squares. Wilson's score interval (E. B. Wilson, JASA
 * 22, 1927, p. 209) with the effective sample size (sum w)^2 / sum w^2 (L. Kish, Survey Sampling,
 * 1965) in place of n: samples of unequal weight tell less than as many equal ones. A @whole of 0
 * gives [0, 1].
 */
struct interval estimate_share(double part, double whole, double whole_squared);

/* The same for another confidence: @z standard deviations to either side. */
struct interval estimate_share_within(double z, double part, double whole, double whole_squared);

/* The interval of a share estimated from @whole while @lost of the same was not seen: all of the
 * lost weight may belong to the share, or none. A sum of 0 gives [0, 1]. */
struct interval estimate_with_loss(struct interval seen, double whole, double lost);

/* The number of standard deviations for which all @comparisons two-sided intervals together have
 * the confidence @certainty (0..1) (Bonferroni): 1.96 for one at 0.95. */
double estimate_z(double certainty, unsigned comparisons);

/* The mean of a few measurements. Zero-initialised is empty. */
struct mean {
	size_t count;
	double value, squares; /* the mean, and the sum of squared distances from it */
};

/* Adds a measurement (B. P. Welford, Technometrics 4, 1962, p. 419). */
void estimate_add(struct mean *mean, double value);
/* Half the width of the 95 % interval around the mean, by Student's distribution. 0 for fewer than
 * two measurements. */
double estimate_half(const struct mean *mean);

#endif
