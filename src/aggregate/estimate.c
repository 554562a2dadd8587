/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/estimate.h"

#include <math.h>

#include "aggregate/student.h"

/* 95 % of the normal distribution lie within this many standard deviations. */
static const double z_95 = 1.959963984540054;

struct interval estimate_share(double part, double whole, double whole_squared)
{
	return estimate_share_within(z_95, part, whole, whole_squared);
}

struct interval estimate_share_within(double z, double part, double whole, double whole_squared)
{
	double n, share, centre, reach;

	if (!(whole > 0) || !(whole_squared > 0))
		return (struct interval){ 0, 1 };
	n = whole * whole / whole_squared;
	share = fmin(part / whole, 1);
	centre = share + z * z / (2 * n);
	reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
	/* A share of 0 or 1 is its own bound; rounding must not exclude it. */
	return (struct interval){
		share > 0 ? fmax((centre - reach) / (1 + z * z / n), 0) : 0,
		share < 1 ? fmin((centre + reach) / (1 + z * z / n), 1) : 1,
	};
}

struct interval estimate_with_loss(struct interval seen, double whole, double lost)
{
	double sum = whole + lost;

	if (!(sum > 0))
		return (struct interval){ 0, 1 };
	return (struct interval){ seen.low * whole / sum, (seen.high * whole + lost) / sum };
}

/* erfc(z / sqrt 2) is the probability outside z on both sides. It falls with z, so bisection finds
 * z. */
double estimate_z(double certainty, unsigned comparisons)
{
	double outside = (1 - certainty) / (comparisons ? comparisons : 1);
	double low = 0, high = 40;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) > outside)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

void estimate_add(struct mean *mean, double value)
{
	double distance = value - mean->value;

	mean->count++;
	mean->value += distance / (double)mean->count;
	mean->squares += distance * (value - mean->value);
}

double estimate_half(const struct mean *mean)
{
	const double certainty = 0.95;
	double n = (double)mean->count;

	if (mean->count < 2)
		return 0;
	return student_reach(certainty, n - 1) * sqrt(mean->squares / (n - 1) / n);
}
