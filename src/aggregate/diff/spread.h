/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much runs of the same program differ, row by row, if there are few runs.
 *
 * Three runs a side leave a row four degrees of freedom, and one run against three leaves two: too
 * few to find anything. But two more things are known. Runs differ at least as much as samples vary
 * within them. And the rows of a profile vary for the same reasons, so all rows together show what
 * to expect of each:
 *
 *   variance of run r of row i:  v_ir = b_i k_ir + (c_i g_i)^2
 *     k_ir: that of independent samples, share (1 - share) / samples
 *     b_i:  how many times as much the row varies within runs (aggregate/diff/diff_measure.c)
 *     c_i:  how much runs differ beyond that, in proportion to g_i = share (1 - share), or to
 *           the amount
 *
 * c_i is not estimated directly: with a few runs the estimate would often be 0. Instead it is tried
 * at many values, each weighted by its probability:
 *
 *   - log c_i scatters around log c, which is the same for all rows, with Student's distribution.
 *   - The prior of c is a half-Cauchy distribution whose median is how much runs usually differ:
 *     long runs overrule it, short ones hardly do.
 *   - Each row's residuals around the means of the two sides have a normal likelihood (that of
 *     the residuals alone: REML). Profiles have few rows, and these are not independent: shares
 *     add up to 1, and what slows one function slows others. So each row counts only in part,
 *     depending on how alike the residuals of rows are.
 *   - We expect a row to vary as the other rows suggest; then its own runs count in full. If the
 *     runs vary so much more that this is improbable, the other rows do not count. If one side
 *     varies unlike the other (an F test at 1 %), Welch's method is used for that row.
 *
 * The resulting mixture of variances is summarised as one variance with degrees of freedom, so that
 * Student's distribution applies. This follows the idea of the moderated t statistic of G. K.
 * Smyth, Linear models and empirical Bayes methods for assessing differential expression in
 * microarray experiments, Statistical Applications in Genetics and Molecular Biology 3 (1), 2004,
 * article 3. There the whole variance of a row is learned from the others; here the part within
 * runs is known, and only the part between runs is learned.
 */
#ifndef AGGREGATE_DIFF_SPREAD_H
#define AGGREGATE_DIFF_SPREAD_H

#include "aggregate/diff/change.h"
#include "base/cleanup.h"

struct spread;

/* For two sides with these numbers of runs; at least one side has two or more. @usual: the prior
 * median of c. */
struct spread *spread_new(enum measured_kind kind, size_t old_count, size_t new_count,
			  double usual);
void spread_free(struct spread *spread); /* NULL is fine */
DEFINE_CLEANUP(struct spread *, spread_free);

/* Adds a row to learn from. @runs: the old ones first; copied. @bursts: b_i, 1 if unknown. Rows
 * with few samples are ignored. */
void spread_add(struct spread *spread, const struct measured *runs, double bursts);

/* Call this after all rows were added. */
void spread_settle(struct spread *spread);

/* The variance of the difference between the means of both sides, for any row. A row with many
 * samples is assumed to be one of those added. */
struct seen_variance spread_of(const struct spread *spread, const struct measured *runs,
			       double bursts);

/* What was learned. */
struct spread_facts {
	double between; /* the median of c */
	size_t rows;	/* the number of rows it comes from */
};
struct spread_facts spread_learned(const struct spread *spread);

#endif
