/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/json_add.h"

static void assert_text(struct buf *buf, const char *wanted)
{
	assert_string_equal(buf_text(buf), wanted);
	buf_clear(buf);
}

static void commas_are_where_they_belong(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	json_add_begin(&buf, NULL, '{');
	json_add_number(&buf, "a", 1);
	json_add_begin(&buf, "b", '[');
	json_add_bool(&buf, NULL, true);
	json_add_null(&buf, NULL);
	json_add_end(&buf, ']');
	json_add_line(&buf);
	json_add_begin(&buf, "c", '{');
	json_add_end(&buf, '}');
	json_add_text_or_null(&buf, "d", "");
	json_add_text_or_null(&buf, "e", "{");
	json_add_number_or_null(&buf, "g", 0);
	json_add_number_or_null(&buf, "h", 7);
	json_add_bool(&buf, "f", false);
	json_add_end(&buf, '}');
	assert_text(&buf, "{\"a\":1,\"b\":[true,null],\n\"c\":{},\"d\":null,\"e\":\"{\",\"g\":null,"
			  "\"h\":7,\"f\":false}");
	buf_done(&buf);
}

static void numbers_that_are_not_finite_are_null(void **state)
{
	static const struct {
		double value;
		int digits;
		const char *text;
	} reals[] = {
		{ 2, 10, "2.0" },
		{ 0.1, 10, "0.1" },
		{ 0.1, 17, "0.10000000000000001" },
		{ 1e300, 10, "1e300" },
		{ 1e-7, 10, "1e-7" },
		{ -1.5e20, 10, "-1.5e20" },
		{ NAN, 10, "null" },
		{ INFINITY, 10, "null" },
	};
	struct buf buf = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++) {
		json_add_real(&buf, NULL, reals[i].value, reals[i].digits);
		assert_text(&buf, reals[i].text);
	}
	json_add_fixed(&buf, "low", 2.25, 1);
	json_add_fixed(&buf, "high", 2.25, 6);
	json_add_fixed(&buf, "none", NAN, 6);
	assert_text(&buf, "\"low\":2.2,\"high\":2.250000,\"none\":null");
	buf_done(&buf);
}

/* The oracle is a JSON parser that is not ours. */
static void assert_parsed(const char *text, const char *expected)
{
	struct buf buf = { 0 };
	json_error_t error;
	json_t *parsed;

	json_add_text(&buf, NULL, text);
	parsed = json_loads(buf_text(&buf), JSON_DECODE_ANY, &error);
	if (!parsed)
		fail_msg("%s: %s", buf_text(&buf), error.text);
	assert_string_equal(json_string_value(parsed), expected);
	json_decref(parsed);
	buf_done(&buf);
}

static void a_parser_reads_the_texts(void **state)
{
	(void)state;
	assert_parsed("plain", "plain");
	assert_parsed("a\"b\\c/d", "a\"b\\c/d");
	assert_parsed("\033[2J\n\001", "\033[2J\n\001");
	assert_parsed("caf\xc3\xa9", "caf\xc3\xa9");
	assert_parsed("bad \xff\xc3", "bad \\xff\\xc3");
	assert_parsed("\xc2\x9bK\xe2\x80\xae", "\xc2\x9bK\xe2\x80\xae");
}

static void texts_are_safe(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	json_add_text(&buf, NULL, "caf\xc3\xa9 \"q\" a\\b\n\x1b");
	assert_text(&buf, "\"caf\xc3\xa9 \\\"q\\\" a\\\\b\\u000a\\u001b\"");
	json_add_text(&buf, NULL, "\xc2\x9bK\xe2\x80\xae\x7f \xff");
	assert_text(&buf, "\"\\u009bK\\u202e\\u007f \\\\xff\"");
	buf_done(&buf);
}

static void blanks_are_added_outside_of_strings(void **state)
{
	static const char compact[] = "{\"a\":[1,{\"x,\\\":\":[]}],\"b\":{}}";
	struct buf from = { 0 }, buf = { 0 };

	(void)state;
	buf_add_str(&from, compact);
	json_add_spread(&buf, &from, 0);
	assert_text(&buf, "{\"a\": [1, {\"x,\\\":\": []}], \"b\": {}}");
	json_add_spread(&buf, &from, 2);
	assert_text(&buf, "{\n  \"a\": [\n    1,\n    {\n      \"x,\\\":\": []\n    }\n  ],\n"
			  "  \"b\": {}\n}");
	buf_done(&from);
	buf_done(&buf);
}

static void what_is_printed_ends_its_line_and_is_freed(void **state)
{
	char text[32] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct buf buf = { 0 };

	(void)state;
	assert_non_null(out);
	json_add_begin(&buf, NULL, '[');
	json_add_number(&buf, NULL, 1);
	json_add_end(&buf, ']');
	json_add_print(&buf, 1, out);
	fclose(out);
	assert_string_equal(text, "[\n 1\n]\n");
	assert_null(buf.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_are_where_they_belong),
		cmocka_unit_test(numbers_that_are_not_finite_are_null),
		cmocka_unit_test(a_parser_reads_the_texts),
		cmocka_unit_test(texts_are_safe),
		cmocka_unit_test(blanks_are_added_outside_of_strings),
		cmocka_unit_test(what_is_printed_ends_its_line_and_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
