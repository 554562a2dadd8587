/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of many comparisons a few look remarkable by chance alone. Benjamini and Hochberg's procedure
 * (J. R. Stat. Soc. B 57, 1995, p. 289) keeps the expected part of false ones among those that are
 * called real below a limit.
 */
#ifndef AGGREGATE_DIFF_DISCOVERIES_H
#define AGGREGATE_DIFF_DISCOVERIES_H

#include <stddef.h>

/* To each probability of @p (that chance alone does this) the least limit at which it would be
 * called real: compare with 0.05. A @p that is NaN was not tested: it counts for nothing and gets
 * NaN. @ret_q may be @p. */
void discoveries_adjust(const double *p, size_t count, double *ret_q);

#endif
