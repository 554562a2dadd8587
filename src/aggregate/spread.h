/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far apart runs of the same program are, row by row, when there are few of them.
 *
 * Three runs a side leave a row four degrees of freedom, one run against three leaves two: too few
 * to find anything with. But the rows of a profile vary for the same reasons. So what all rows say
 * together is the expectation for each, and a row's own variance is drawn towards it:
 *
 *   expected variance of run r of row i:  v_ir = b_i k_ir + (c g_i)^2
 *     k_ir: that of independent samples, share (1 - share) / samples
 *     b_i:  how many times as much the row varies within runs (aggregate/diff_run.h)
 *     c:    how much runs differ beyond that, in proportion; g_i = share (1 - share), or the amount
 *   a row's own variance in proportion to it:
 *     u_i = sum over runs of (y_ir - mean of the side)^2 / v_ir / d
 *   moderated:  u~_i = (d0 s0 + d u_i) / (d0 + d), with d0 + d degrees of freedom
 *
 * This is the moderated t statistic of G. K. Smyth, Linear models and empirical Bayes methods for
 * assessing differential expression in microarray experiments, Statistical Applications in Genetics
 * and Molecular Biology 3 (1), 2004, article 3; d0 is from section 6.2: the variance of log u_i
 * beyond trigamma(d / 2), of which the inverse is taken. Differences from it:
 *
 *   - The expectation depends on the size of the row (the trend v_ir), and c is what makes the mean
 *     of all u_i 1, those above what chance allows cut off there. s0 is 1, or that mean where it is
 *     below 1 without any c.
 *   - Profiles have few rows, and these are not independent (shares add up to 1, and what slows one
 *     function down slows others). d0 is at most d times the number of independent rows beyond one,
 *     which comes from how alike the residuals of rows are.
 *   - A row that varies more than the others by chance (an F test at 1 %), or more on one side than
 *     on the other, is taken by itself.
 */
#ifndef AGGREGATE_SPREAD_H
#define AGGREGATE_SPREAD_H

#include "aggregate/change.h"
#include "base/cleanup.h"

struct spread;

/* Of two sides of so many runs, one of which has two at least. */
struct spread *spread_new(enum measured_kind kind, size_t old_count, size_t new_count);
void spread_free(struct spread *spread); /* NULL is fine */
DEFINE_CLEANUP(struct spread *, spread_free);

/* A row to learn from. @runs: the old ones first; copied. @bursts: how many times as much as
 * independent samples the row varies within runs; 1 where that is not known. Rows of a few samples
 * are not learned from. */
void spread_add(struct spread *spread, const struct measured *runs, double bursts);

/* When all rows were added. */
void spread_settle(struct spread *spread);

/* The variance of the difference of the means of both sides, of a row that was added or of any
 * other. */
struct seen_variance spread_of(const struct spread *spread, const struct measured *runs,
			       double bursts);

/* What was learned. */
struct spread_facts {
	double between; /* c: by how much of a row runs differ, beyond what is seen within runs */
	double scale;	/* s0 */
	double freedom; /* d0; 0: nothing, a row is taken by itself */
	size_t rows;	/* that were learned from */
};
struct spread_facts spread_learned(const struct spread *spread);

#endif
