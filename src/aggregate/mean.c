/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/mean.h"

#include <math.h>

#include "aggregate/student.h"

void mean_add(struct mean *mean, double value)
{
	double distance = value - mean->value;

	mean->count++;
	mean->value += distance / (double)mean->count;
	mean->squares += distance * (value - mean->value);
}

double mean_half(const struct mean *mean)
{
	const double certainty = 0.95;
	double n = (double)mean->count;

	if (mean->count < 2)
		return 0;
	return student_reach(certainty, n - 1) * sqrt(mean->squares / (n - 1) / n);
}
