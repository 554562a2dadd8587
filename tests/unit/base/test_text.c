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

static void hex(void **state)
{
	static const uint8_t bytes[] = { 0x00, 0x0f, 0xab, 0xff };
	struct buf text = { 0 };

	text_add_hex(&text, bytes, 0);
	assert_string_equal(buf_text(&text), "");
	text_add_hex(&text, bytes, sizeof(bytes));
	assert_string_equal(buf_text(&text), "000fabff");
	buf_done(&text);
}

static void words(void **state)
{
	static const struct {
		const char *text, *word;
	} cases[] = {
		{ "make", "make" },
		{ "-O2", "-O2" },
		{ "/tmp/a_b.prof", "/tmp/a_b.prof" },
		{ "", "''" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "'", "''\\'''" },
		{ "i=0; $x", "'i=0; $x'" },
		{ "*", "'*'" },
		{ "~", "'~'" },
		{ "h\xc3\xa9", "'h\xc3\xa9'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf text = { 0 };

		text_add_word(&text, cases[i].text);
		assert_string_equal(buf_text(&text), cases[i].word);
		assert_true(text_is_words(cases[i].word));
		buf_done(&text);
	}
}

static void no_words(void **state)
{
	static const char *const cases[] = {
		"i=0; true", "'a",   "a'",     "$x",  "a\\b", "a\nb",
		"'\033[2J'", "'\n'", "'\xff'", "a\\", "~/a",  "'\xe2\x80\xae'",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_false(text_is_words(cases[i]));
	assert_true(text_is_words("sh -c 'i=0; true' -- 'it'\\''s'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances), cmocka_unit_test(long_words), cmocka_unit_test(hex),
		cmocka_unit_test(words),     cmocka_unit_test(no_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
