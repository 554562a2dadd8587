/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <math.h>

#include "aggregate/student.h"

/* Against tables of Student's distribution. */
static void reaches_of_tables(void **state)
{
	assert_float_equal(student_reach(0.95, 1), 12.7062, 1e-3);
	assert_float_equal(student_reach(0.95, 2), 4.30265, 1e-4);
	assert_float_equal(student_reach(0.95, 4), 2.77645, 1e-4);
	assert_float_equal(student_reach(0.95, 23), 2.06866, 1e-4);
	assert_float_equal(student_reach(0.99, 10), 3.16927, 1e-4);
	assert_float_equal(student_reach(0.95, INFINITY), 1.959964, 1e-5);
	assert_float_equal(student_reach(0, 5), 0, 1e-12);
}

static void probabilities(void **state)
{
	assert_float_equal(student_p(2.06866, 23), 0.05, 1e-6);
	assert_float_equal(student_p(-12.7062, 1), 0.05, 1e-6);
	assert_float_equal(student_p(0, 7), 1, 1e-12);
	assert_float_equal(student_p(1.959964, INFINITY), 0.05, 1e-6);
	/* Of one degree of freedom it has a closed form: 1 - 2 atan(t) / pi. */
	assert_float_equal(student_p(1e6, 1) / (2e-6 / M_PI), 1, 1e-6);
	assert_float_equal(student_p(INFINITY, 3), 0, 1e-300);
	assert_float_equal(student_p(NAN, 3), 1, 1e-12);
}

/* I_x(a, b) of whole numbers is a sum of binomial terms. */
static void beta_is_a_binomial_sum(void **state)
{
	for (int n = 1; n < 30; n++) {
		for (int k = 1; k <= n; k++) {
			double sum = 0, x = 0.37, term = pow(1 - x, n);

			for (int i = 0; i <= n; i++) {
				sum += i >= k ? term : 0;
				term *= (double)(n - i) / (i + 1) * x / (1 - x);
			}
			assert_float_equal(student_beta(k, n - k + 1, x), sum, 1e-12);
		}
	}
	assert_float_equal(student_beta(2, 3, 0), 0, 1e-300);
	assert_float_equal(student_beta(2, 3, 1), 1, 1e-300);
}

/* As R's binom.test(x, n, 0.5) for a symmetric test. */
static void exact_binomial(void **state)
{
	assert_float_equal(student_binomial_p(5, 0, 0.5), 0.0625, 1e-12);
	assert_float_equal(student_binomial_p(0, 6, 0.5), 0.03125, 1e-12);
	assert_float_equal(student_binomial_p(9, 1, 0.5), 22.0 / 1024, 1e-12);
	assert_float_equal(student_binomial_p(3, 3, 0.5), 1, 1e-12);
	assert_float_equal(student_binomial_p(0, 0, 0.5), 1, 1e-12);
	assert_float_equal(student_binomial_p(2, 0, 0.1), 0.02, 1e-12);
}

/* Against tables of Fisher's distribution at 5 %. */
static void ratios_of_variances(void **state)
{
	assert_float_equal(student_f_p(2.6400, 5, 23), 0.05, 1e-4);
	assert_float_equal(student_f_p(4.9646, 1, 10), 0.05, 1e-4);
	assert_float_equal(student_f_p(0, 5, 23), 1, 1e-12);
	assert_float_equal(student_f_p(NAN, 5, 23), 1, 1e-12);
	assert_float_equal(student_f_p(INFINITY, 5, 23), 0, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reaches_of_tables),	  cmocka_unit_test(probabilities),
		cmocka_unit_test(beta_is_a_binomial_sum), cmocka_unit_test(exact_binomial),
		cmocka_unit_test(ratios_of_variances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
