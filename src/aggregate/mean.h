/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mean of a few measurements, and how far it may be from the true one. */
#ifndef AGGREGATE_MEAN_H
#define AGGREGATE_MEAN_H

#include <stddef.h>

/* Zero-initialised is empty. */
struct mean {
	size_t count;
	double value, squares; /* the mean, and the sum of squared distances from it */
};

/* Adds a measurement (B. P. Welford, Technometrics 4, 1962, p. 419). */
void mean_add(struct mean *mean, double value);
/* Half the width of the 95 % interval around the mean, by Student's distribution. 0 for fewer than
 * two measurements. */
double mean_half(const struct mean *mean);

#endif
