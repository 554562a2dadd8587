/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "aggregate/near_values.h"

enum { MOST = 6 };

/* What is said of these values where @wanted has no samples. */
static void assert_near(const char *wanted, const char *const *values, const char *expected)
{
	struct near_values near = { 0 };
	struct buf text = { 0 };

	for (size_t i = 0; i < MOST && values[i]; i++)
		near_values_add(&near, wanted, values[i]);
	near_values_text(&near, &text);
	if (strcmp(text.size ? buf_text(&text) : "", expected) != 0)
		fail_msg("%s: '%s', not '%s'", wanted, text.size ? buf_text(&text) : "", expected);
	buf_done(&text);
	near_values_done(&near);
}

static void names_that_are_close(void **state)
{
	static const struct {
		const char *wanted;
		const char *values[MOST];
		const char *expected;
	} cases[] = {
		{ "python", { "python3.11", "bash" }, ": did you mean 'python3.11'?" },
		{ "pyton", { "python3.11", "bash" }, ": did you mean 'python3.11'?" },
		{ "NGINX", { "nginx" }, ": did you mean 'nginx'?" },
		{ "server", { "redis-server", "bash" }, ": did you mean 'redis-server'?" },
		{ "python3.11", { "python3", "sh" }, ": did you mean 'python3'?" },
		{ "ngnix", { "nginx", "node" }, ": did you mean 'nginx'?" },
		{ "pars*", { "Parser", "lexer" }, ": did you mean 'Parser'?" },
		{ "cc",
		  { "cc1plus", "cc1", "gcc", "cc", "lcc" },
		  ": did you mean 'cc', 'cc1' or 'cc1plus'?" },
		{ "parse", { "parse(int, long)" }, ": did you mean 'parse(int\\, long)'?" },
		{ "abc", { "wxyz", "klmno", "sh", "dash" }, "" },
		{ "abc", { "wxyz", "klmno", "wxyz" }, ": the only values are 'wxyz' and 'klmno'" },
		{ "abc", { "wxyz", "wxyz" }, ": the only value is 'wxyz'" },
		{ "abc", { "", "" }, "" },
		{ "***", { "wxyz", "k", "l", "m" }, "" },
		{ "x", { "y", "z", "zz", "zzz" }, "" },
		{ "x", { "xterm", "y", "z", "zz" }, ": did you mean 'xterm'?" },
		{ "abc", { NULL }, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_near(cases[i].wanted, cases[i].values, cases[i].expected);
}

/* Cut, it is a pattern that still matches. */
static void long_names_end_with_a_star(void **state)
{
	char name[201], expected[128];
	const char *const values[MOST] = { name };

	memset(name, 'x', 200);
	name[200] = '\0';
	snprintf(expected, sizeof(expected), ": did you mean '%.80s*'?", name);
	assert_near("xxx", values, expected);
}

static void the_nearest_numbers(void **state)
{
	struct near_values near = { 0 };
	struct buf text = { 0 };

	assert_true(near_values_wants(&near, UINT64_MAX));
	near_values_add_number(&near, 7, "7");
	near_values_add_number(&near, 9, "9");
	near_values_add_number(&near, 9, "9");
	near_values_add_number(&near, 8, "8");
	assert_false(near_values_wants(&near, 10));
	assert_true(near_values_wants(&near, 9));
	near_values_add_number(&near, 1, "1");
	near_values_text(&near, &text);
	assert_string_equal(buf_text(&text), ": did you mean '1', '7' or '8'?");
	buf_done(&text);
	near_values_done(&near);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_are_close),
		cmocka_unit_test(long_names_end_with_a_star),
		cmocka_unit_test(the_nearest_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
