/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools.h"

#include "present/tint.h"

static void assert_tinted(bool colour, enum tint tint, const char *expected)
{
	struct buf buf = { 0 };

	tint_add(&buf, colour, tint, "x");
	assert_string_equal(buf_text(&buf), expected);
	buf_done(&buf);
}

static void sequences(void **state)
{
	assert_tinted(true, TINT_NONE, "x");
	assert_tinted(true, TINT_TITLE, "\033[1mx\033[0m");
	assert_tinted(true, TINT_FAINT, "\033[2mx\033[0m");
	assert_tinted(false, TINT_HOTTEST, "x");
}

static void shares(void **state)
{
	assert_int_equal(tint_of_share(0), TINT_FAINT);
	assert_int_equal(tint_of_share(0.5), TINT_WARM);
	assert_int_equal(tint_of_share(2.99), TINT_WARM);
	assert_int_equal(tint_of_share(3), TINT_HOT);
	assert_int_equal(tint_of_share(100), TINT_HOTTEST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences),
		cmocka_unit_test(shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
