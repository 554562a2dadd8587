/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/err.h"

static void the_code_travels_with_its_reason(void **state)
{
	struct err err;

	assert_int_equal(err_set(&err, -ENOENT, "no file '%s'", "x.prof"), -ENOENT);
	assert_string_equal(err.text, "no file 'x.prof'");
	assert_int_equal(err_prefix(&err, -ENOENT, "report %d", 1), -ENOENT);
	assert_string_equal(err.text, "report 1: no file 'x.prof'");
}

static void without_a_place_only_the_code_travels(void **state)
{
	assert_int_equal(err_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_prefix(NULL, -EIO, "x"), -EIO);
}

static void long_reasons_are_cut_and_ended(void **state)
{
	struct err err;

	err_set(&err, -1, "%0600d", 0);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	err_prefix(&err, -1, "%s", "why");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_memory_equal(err.text, "why: 000", 8);
	err_prefix(&err, -1, "%0600d", 0);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void names_stay_on_one_line(void **state)
{
	struct err err;

	err_set(&err, -1, "no '%s'", "a\nb\033[1m\x7f\xc2\x9b\xff\xc3\xa9\\");
	assert_string_equal(err.text, "no 'a\\x0ab\\x1b[1m\\x7f\\xc2\\x9b\\xff\xc3\xa9\\'");
	err_prefix(&err, -1, "%s", "c\rd");
	assert_string_equal(err.text,
			    "c\\x0dd: no 'a\\x0ab\\x1b[1m\\x7f\\xc2\\x9b\\xff\xc3\xa9\\'");
}

static void characters_are_not_cut(void **state)
{
	struct err err;

	err_set(&err, -1, "%0509d\x01", 0);
	assert_int_equal(strlen(err.text), 509);
	err_set(&err, -1, "%0509d", 0);
	err_prefix(&err, -1, "\xc3\xa9");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_code_travels_with_its_reason),
		cmocka_unit_test(without_a_place_only_the_code_travels),
		cmocka_unit_test(long_reasons_are_cut_and_ended),
		cmocka_unit_test(names_stay_on_one_line),
		cmocka_unit_test(characters_are_not_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
