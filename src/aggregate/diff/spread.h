/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much runs of the same program differ, row by row, when there are few runs.
 *
 * Three runs a side leave a row four degrees of freedom, and one run against three leaves two: too
 * few to find anything. But two things are known besides. How unevenly samples fall within runs is
 * the least that runs differ by. And the rows of a profile vary for the same reasons, so all rows
 * together say what to expect of each:
 *
 *   variance of run r of row i:  v_ir = b_i k_ir + (c_i g_i)^2
 *     k_ir: that of independent samples, share (1 - share) / samples
 *     b_i:  how many times as much the row varies within runs (aggregate/diff/diff_run.h)
 *     c_i:  how much runs differ beyond that, in proportion to g_i = share (1 - share), or to the
 *           amount
 *
 * c_i is not estimated, for it would often come out as 0 from a few runs. It is tried at many
 * values, each weighted by its probability:
 *
 *   - log c_i scatters around log c, which is the same for all rows, with Student's distribution.
 *   - The prior of c is a half-Cauchy distribution whose median is how much runs usually
 *     differ: long runs overrule it, short ones hardly do.
 *   - Each row's residuals around the means of the two sides have a normal likelihood (that of the
 *     residuals alone: REML). Profiles have few rows, and these are not independent: shares add up
 *     to 1, and what slows one function down slows others. So of each row only a part counts, by
 *     how alike the residuals of rows are.
 *   - A row is expected to vary as the other rows tell, and then its own runs count in full. If
 *     they vary by so much more that this is improbable, the other rows do not count. If one side
 *     varies unlike the other (an F test at 1 %), Welch's method is used for that row.
 *
 * What comes out, a mixture of variances, is summed up as one variance with degrees of freedom, so
 * that Student's distribution can be used. This is in the spirit of the moderated t statistic of
 * G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in
 * microarray experiments, Statistical Applications in Genetics and Molecular Biology 3 (1), 2004,
 * article 3. There the whole variance of a row is learned from the others; here the part within
 * runs is known, and only the part between runs is learned.
 */
#ifndef AGGREGATE_DIFF_SPREAD_H
#define AGGREGATE_DIFF_SPREAD_H

#include "aggregate/diff/change.h"
#include "base/cleanup.h"

struct spread;

/* For two sides of so many runs. At least one side has two or more. @usual: the median of c before
 * anything was measured. */
struct spread *spread_new(enum measured_kind kind, size_t old_count, size_t new_count,
			  double usual);
void spread_free(struct spread *spread); /* NULL is fine */
DEFINE_CLEANUP(struct spread *, spread_free);

/* A row to learn from. @runs: the old ones first; copied. @bursts: b_i, 1 where it is not known.
 * Nothing is learned from rows of a few samples. */
void spread_add(struct spread *spread, const struct measured *runs, double bursts);

/* To be called when all rows were added. */
void spread_settle(struct spread *spread);

/* The variance of the difference between the means of both sides, for any row. A row of many
 * samples is taken for one of those that were added. */
struct seen_variance spread_of(const struct spread *spread, const struct measured *runs,
			       double bursts);

/* What was learned. */
struct spread_facts {
	double between; /* the median of c */
	size_t rows;	/* the number of rows that it comes from */
};
struct spread_facts spread_learned(const struct spread *spread);

#endif
