/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distributions that tell how surely two measurements differ. Series and continued fractions as
 * in the NIST Digital Library of Mathematical Functions, chapters 7 and 8.
 */
#ifndef AGGREGATE_STUDENT_H
#define AGGREGATE_STUDENT_H

/* The regularised incomplete beta function I_x(a, b) (DLMF 8.17); a, b > 0. */
double student_beta(double a, double b, double x);

/* The probability that a value of Student's distribution is at least as far from 0 as @t, on either
 * side. @freedom: degrees of freedom, > 0; INFINITY: the normal distribution. */
double student_p(double t, double freedom);

/* The probability that the ratio of two estimates of the same variance, with these degrees of
 * freedom, is @ratio or more. NaN counts as 1. */
double student_f_p(double ratio, double freedom, double of_freedom);

/* The distance from 0, to both sides, within which @certainty (0..1) of the distribution lies. */
double student_reach(double certainty, double freedom);

/* The two-sided probability that @first of @first + @second events fall on the first side, if each
 * does so with probability @chance: the exact binomial test, which is never too sure. The counts
 * may be fractions. */
double student_binomial_p(double first, double second, double chance);

#endif
