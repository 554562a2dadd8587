/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/scan.h"

enum { UNTOUCHED = 77 };

static void assert_number(const char *text, int base, uint64_t wanted, const char *rest)
{
	const char *at = text;
	uint64_t number;

	assert_true(scan_number(&at, base, &number));
	assert_int_equal(number, wanted);
	assert_string_equal(at, rest);
}

static void assert_no_number(const char *text, int base)
{
	const char *at = text;
	uint64_t number = UNTOUCHED;

	assert_false(scan_number(&at, base, &number));
	assert_ptr_equal(at, text);
	assert_int_equal(number, UNTOUCHED);
}

static void numbers(void **state)
{
	(void)state;
	assert_number("12,3", 10, 12, ",3");
	assert_number("0x1g", 10, 0, "x1g");
	assert_number("0x1g", 0, 1, "g");
	assert_number("010", 0, 10, "");
	assert_number("ff ", 16, 255, " ");
	assert_number("0xff", 16, 255, "");
	assert_number("18446744073709551615", 0, UINT64_MAX, "");
	assert_no_number("", 10);
	assert_no_number(" 1", 10);
	assert_no_number("+1", 10);
	assert_no_number("-1", 10);
	assert_no_number("f", 10);
	assert_no_number("g", 16);
	assert_no_number("18446744073709551616", 10);
}

static void a_whole_number_has_nothing_after_it(void **state)
{
	uint64_t number = UNTOUCHED;

	(void)state;
	assert_false(scan_whole_number("5 ", 10, &number));
	assert_false(scan_whole_number("", 10, &number));
	assert_int_equal(number, UNTOUCHED);
	assert_true(scan_whole_number("5", 10, &number));
	assert_int_equal(number, 5);
}

static void digits_have_a_limit(void **state)
{
	const char *at = "0123";
	uint64_t number;

	(void)state;
	assert_false(scan_digits(&at, 3, &number));
	assert_string_equal(at, "0123");
	assert_true(scan_digits(&at, 4, &number));
	assert_int_equal(number, 123);
	assert_false(scan_digits(&at, 4, &number));
}

static void assert_fraction(const char *text, bool valid, uint64_t wanted, const char *rest)
{
	const char *at = text;
	uint64_t number;

	assert_int_equal(scan_fraction(&at, &number), valid);
	assert_int_equal(number, wanted);
	assert_string_equal(at, rest);
}

static void fractions(void **state)
{
	(void)state;
	assert_fraction(".25s", true, 250000000, "s");
	assert_fraction(".1234567899", true, 123456789, "");
	assert_fraction("s", true, 0, "s");
	assert_fraction(".s", false, 0, ".s");
}

static void assert_decimal(const char *text, bool valid, double wanted, const char *rest)
{
	const char *at = text;
	double number = 0;

	assert_int_equal(scan_decimal(&at, &number), valid);
	assert_true(number == wanted);
	assert_string_equal(at, rest);
}

static void decimals(void **state)
{
	(void)state;
	assert_decimal("-2.5%", true, -2.5, "%");
	assert_decimal(".5", true, .5, "");
	assert_decimal("+1e3x", true, 1000, "x");
	assert_decimal("5e", true, 5, "e");
	assert_decimal(" 1", false, 0, " 1");
	assert_decimal("0x10", false, 0, "0x10");
	assert_decimal("inf", false, 0, "inf");
	assert_decimal("nan", false, 0, "nan");
	assert_decimal("1e999", false, 0, "1e999");
	assert_decimal("-", false, 0, "-");
}

static void units_of_time(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60000000000 },
		{ "min", 60000000000 },
		{ "h", 3600000000000 },
		{ "d", 86400000000000 },
	};
	const char *at;
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		at = units[i].text;
		assert_true(scan_time_unit(&at, &ns));
		assert_int_equal(ns, units[i].ns);
		assert_string_equal(at, "");
	}
	at = "x";
	assert_false(scan_time_unit(&at, &ns));
	assert_string_equal(at, "x");
}

static void words_end_and_signs_do_not(void **state)
{
	struct err err;
	const char *text = " any anything<=5";
	struct scan scan = { "--if", text, text, &err };

	(void)state;
	assert_false(scan_word(&scan, "an"));
	assert_true(scan_word(&scan, "any"));
	assert_false(scan_word(&scan, "any"));
	assert_true(scan_sign(&scan, "any"));
	assert_true(scan_word(&scan, "thing"));
	assert_true(scan_sign(&scan, "<"));
	assert_int_equal(scan_fail(&scan, "expected a number"), -EINVAL);
	assert_string_equal(err.text, "--if ' any anything<=5': expected a number at '=5'");
	assert_true(scan_sign(&scan, "=5"));
	scan_fail(&scan, "expected a unit");
	assert_string_equal(err.text, "--if ' any anything<=5': expected a unit at the end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(a_whole_number_has_nothing_after_it),
		cmocka_unit_test(digits_have_a_limit),
		cmocka_unit_test(fractions),
		cmocka_unit_test(decimals),
		cmocka_unit_test(units_of_time),
		cmocka_unit_test(words_end_and_signs_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
