/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/estimate.h"

#include <math.h>

/* The normal distribution has 95 % within so many standard deviations. */
static const double z = 1.959963984540054;

struct interval estimate_share(double part, double whole, double whole_squared)
{
	double n, share, centre, reach;

	if (!(whole > 0) || !(whole_squared > 0))
		return (struct interval){ 0, 1 };
	n = whole * whole / whole_squared;
	share = fmin(part / whole, 1);
	centre = share + z * z / (2 * n);
	reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
	return (struct interval){ fmax((centre - reach) / (1 + z * z / n), 0),
				  fmin((centre + reach) / (1 + z * z / n), 1) };
}
