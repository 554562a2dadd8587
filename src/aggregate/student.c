/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/student.h"

#include <math.h>

enum {
	MAX_TERMS = 1000,
	MAX_STEPS = 100,
};

static const double least_step = 1e-15;
static const double least_reach = 1e-12; /* a step too small to matter */
static const double tiny = 1e-300;	 /* replaces 0 in a denominator (Lentz's method) */

static double not_zero(double value)
{
	return fabs(value) < tiny ? tiny : value;
}

/* The continued fraction DLMF 8.17.22, from its first denominator on. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;

	for (int m = 1; m < MAX_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		value *= c * d;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = c * d;
		value *= step;
		if (fabs(step - 1) < least_step)
			break;
	}
	return value;
}

static double log_gamma(double value)
{
	int sign;

	return lgamma_r(value, &sign);
}

double student_beta(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	/* The fraction converges fast only below the mean. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double freedom)
{
	if (isnan(t))
		return 1;
	if (isinf(t))
		return 0;
	if (isinf(freedom))
		return erfc(fabs(t) / sqrt(2));
	return student_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_f_p(double ratio, double freedom, double of_freedom)
{
	if (isnan(ratio) || ratio <= 0)
		return 1;
	if (isinf(ratio))
		return 0;
	return student_beta(of_freedom / 2, freedom / 2,
			    of_freedom / (of_freedom + freedom * ratio));
}

static double density(double t, double freedom)
{
	double front;

	if (isinf(freedom))
		return exp(-t * t / 2) / sqrt(2 * M_PI);
	front = exp(log_gamma((freedom + 1) / 2) - log_gamma(freedom / 2)) / sqrt(freedom * M_PI);
	return front * pow(1 + t * t / freedom, -(freedom + 1) / 2);
}

/* student_p falls with t, ever more slowly: Newton's steps from 0 never overshoot. */
double student_reach(double certainty, double freedom)
{
	double outside = 1 - certainty, t = 0;

	for (int i = 0; i < MAX_STEPS; i++) {
		double step = (student_p(t, freedom) - outside) / (2 * density(t, freedom));

		t += step;
		if (!(step > t * least_reach))
			break;
	}
	return t;
}

double student_binomial_p(double first, double second, double chance)
{
	double as_many = 1, as_few = 1;

	if (first > 0)
		as_many = student_beta(first, second + 1, chance);
	if (second > 0)
		as_few = student_beta(second, first + 1, 1 - chance);
	return fmin(1, 2 * fmin(as_many, as_few));
}
