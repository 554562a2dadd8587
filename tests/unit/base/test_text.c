/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"

static void distances(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned limit, distance;
	} cases[] = {
		{ "", "", 5, 0 },
		{ "kitten", "sitting", 5, 3 },
		{ "report", "reprot", 5, 1 },
		{ "report", "rport", 5, 1 },
		{ "report", "repoort", 5, 1 },
		{ "report", "rexort", 5, 1 },
		{ "", "abc", 5, 3 },
		{ "abc", "", 2, 3 },
		{ "kitten", "sitting", 1, 2 },
		{ "ca", "abc", 5, 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(text_distance(cases[i].a, cases[i].b, cases[i].limit),
				 cases[i].distance);
		if (cases[i].limit == 5)
			assert_int_equal(text_distance(cases[i].b, cases[i].a, 5),
					 cases[i].distance);
	}
}

/* 63 letters are compared, 64 are equal or far. */
static void long_words(void **state)
{
	char a[65] = "", b[65] = "";

	memset(a, 'x', 63);
	memset(b, 'x', 63);
	b[62] = 'y';
	assert_int_equal(text_distance(a, b, 5), 1);
	a[63] = b[63] = 'x';
	assert_int_equal(text_distance(a, b, 5), 6);
	assert_int_equal(text_distance(a, a, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
