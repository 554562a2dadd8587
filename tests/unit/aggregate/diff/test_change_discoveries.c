/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/diff/change.h"
#include "aggregate/draws.h"
#include "aggregate/student.h"

/* The 15 probabilities of Benjamini and Hochberg's own example (1995, section 3.2): four are called
 * real at 5 %. */
static void their_own_example(void **state)
{
	const double p[15] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
			       0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	double q[15];
	int real = 0;

	change_discoveries(p, 15, q);
	for (int i = 0; i < 15; i++)
		real += q[i] <= 0.05;
	assert_int_equal(real, 4);
	/* As R's p.adjust(p, "BH"). */
	assert_float_equal(q[0], 0.0015, 1e-9);
	assert_float_equal(q[3], 0.035625, 1e-9);
	assert_float_equal(q[14], 1, 1e-9);
}

static void order_does_not_matter_and_untested_do_not_count(void **state)
{
	double p[4] = { 0.04, NAN, 0.01, NAN }, none[1] = { NAN };

	change_discoveries(p, 4, p);
	assert_float_equal(p[0], 0.04, 1e-12);
	assert_true(isnan(p[1]));
	assert_float_equal(p[2], 0.02, 1e-12);
	change_discoveries(none, 1, none);
	assert_true(isnan(none[0]));
	change_discoveries(none, 0, none);
}

/* Of what is called real no more than 5 % is false, on average; and real things are found. */
static void false_discoveries_are_rare(void **state)
{
	enum { ROWS = 200, TRIALS = 1000 };
	static const int real_rows[] = { 0, 10, 100 };

	for (size_t i = 0; i < sizeof(real_rows) / sizeof(real_rows[0]); i++) {
		uint64_t seed = 88172645463325252ULL + i;
		double false_part = 0, found = 0;

		for (int trial = 0; trial < TRIALS; trial++) {
			double p[ROWS], q[ROWS];
			int called = 0, wrong = 0;

			for (int row = 0; row < ROWS; row++)
				p[row] =
					student_p(draw_normal(&seed) + (row < real_rows[i] ? 4 : 0),
						  INFINITY);
			change_discoveries(p, ROWS, q);
			for (int row = 0; row < ROWS; row++) {
				called += q[row] <= 0.05;
				wrong += q[row] <= 0.05 && row >= real_rows[i];
			}
			false_part += called ? (double)wrong / called : 0;
			found += called - wrong;
		}
		/* 5 % and 3 deviations of 1,000 trials. */
		assert_true(false_part / TRIALS < 0.07);
		if (real_rows[i])
			assert_true(found / TRIALS / real_rows[i] > 0.7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(their_own_example),
		cmocka_unit_test(order_does_not_matter_and_untested_do_not_count),
		cmocka_unit_test(false_discoveries_are_rare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
