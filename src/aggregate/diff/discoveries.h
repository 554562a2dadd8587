/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of many comparisons a few look remarkable by chance alone. Benjamini and Hochberg's procedure (J.
 * R. Stat. Soc. B 57, 1995, p. 289) limits the expected part of false ones among those that count
 * as real.
 */
#ifndef AGGREGATE_DIFF_DISCOVERIES_H
#define AGGREGATE_DIFF_DISCOVERIES_H

#include <stddef.h>

/* For each probability of @p (that chance alone causes the result), the lowest limit at which the
 * result counts as real: compare it with 0.05. A NaN in @p was not tested: it does not count and
 * stays NaN. @ret_q may be @p. */
void discoveries_adjust(const double *p, size_t count, double *ret_q);

#endif
