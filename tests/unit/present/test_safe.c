/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/printed.h"

#include <jansson.h>

#include "present/safe.h"

typedef void (*make_safe)(struct buf *buf, const char *text);

static void assert_safe(make_safe make, const char *text, const char *expected)
{
	struct buf buf = { 0 };

	make(&buf, text);
	assert_string_equal(buf_text(&buf), expected);
	buf_done(&buf);
}

static void for_terminals(void **state)
{
	static const char *const cases[][2] = {
		{ "nginx: worker", "nginx: worker" },
		{ "", "" },
		{ "\033[2J\033]0;x\a", "\\x1b[2J\\x1b]0;x\\x07" },
		{ "a\nb\tc\r", "a\\x0ab\\x09c\\x0d" },
		{ "del\177", "del\\x7f" },
		{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x99",
		  "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x99" },
		/* C1: CSI as one character. */
		{ "\xc2\x9b"
		  "2J",
		  "\\xc2\\x9b2J" },
		{ "\x9b"
		  "2J",
		  "\\x9b2J" },
		/* Right-to-left override, line separator, zero width space. */
		{ "\xe2\x80\xae"
		  "x\xe2\x80\xa8\xe2\x80\x8b",
		  "\\xe2\\x80\\xaex\\xe2\\x80\\xa8\\xe2\\x80\\x8b" },
		/* Too short, too long, overlong, surrogate, beyond Unicode, a lone continuation. */
		{ "\xe2\x82", "\\xe2\\x82" },
		{ "\xc0\xaf", "\\xc0\\xaf" },
		{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
		{ "\x80z", "\\x80z" },
		{ "\xf0\x9f\x90", "\\xf0\\x9f\\x90" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_safe(safe_text, cases[i][0], cases[i][1]);
}

/* Whatever the bytes are, no control and only UTF-8 comes out; jansson judges the latter. */
static void any_three_bytes(void **state)
{
	struct buf buf = { 0 };

	for (unsigned bytes = 0; bytes < 1u << 24; bytes += 37) {
		const char text[] = { (char)(bytes >> 16), (char)(bytes >> 8), (char)bytes, '\0' };
		json_t *judged;

		buf_clear(&buf);
		safe_text(&buf, text);
		judged = json_string(buf_text(&buf));
		assert_non_null(judged);
		json_decref(judged);
		for (const char *at = buf_text(&buf); *at; at++)
			assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
	}
	buf_done(&buf);
}

static void for_csv(void **state)
{
	assert_safe(safe_csv, "plain name", "plain name");
	assert_safe(safe_csv, "map<int, long>", "\"map<int, long>\"");
	assert_safe(safe_csv, "operator\"\" _s", "\"operator\"\"\"\" _s\"");
	assert_safe(safe_csv, "two\nlines\r", "two\\x0alines\\x0d");
	assert_safe(safe_csv, "raw \xff", "raw \\xff");
	assert_safe(safe_csv, "caf\xc3\xa9 \xc3", "caf\xc3\xa9 \\xc3");
	assert_safe(safe_csv, "\xed\xa0\x80,", "\"\\xed\\xa0\\x80,\"");
	assert_safe(safe_csv, "\xc2\x9bK,\x7f", "\"\\xc2\\x9bK,\\x7f\"");
	assert_safe(safe_csv, "a\xe2\x80\xae", "a\\xe2\\x80\\xae");
}

/* For a writer of JSON that writes its own escapes, but none for C1. */
static void for_jansson(void **state)
{
	assert_safe(safe_utf8, "caf\xc3\xa9\n\x1b", "caf\xc3\xa9\n\x1b");
	assert_safe(safe_utf8, "\xc2\x9bK \xff", "\\xc2\\x9bK \\xff");
}

/* The oracle is a JSON parser that is not ours. */
static void assert_json(const char *text, const char *expected)
{
	struct buf buf = { 0 };
	json_error_t error;
	json_t *parsed;

	safe_json(&buf, text);
	parsed = json_loads(buf_text(&buf), JSON_DECODE_ANY, &error);
	if (!parsed)
		fail_msg("%s: %s", buf_text(&buf), error.text);
	assert_string_equal(json_string_value(parsed), expected);
	json_decref(parsed);
	buf_done(&buf);
}

static void for_json(void **state)
{
	assert_json("plain", "plain");
	assert_json("a\"b\\c/d", "a\"b\\c/d");
	assert_json("\033[2J\n\001", "\033[2J\n\001");
	assert_json("caf\xc3\xa9", "caf\xc3\xa9");
	assert_json("bad \xff\xc3", "bad \\xff\\xc3");
	assert_json("\xc2\x9bK\xe2\x80\xae", "\xc2\x9bK\xe2\x80\xae");
	assert_safe(safe_json, "\xc2\x9bK\xe2\x80\xae\x7f", "\"\\u009bK\\u202e\\u007f\"");
}

static void assert_cut(const char *text, size_t width, const char *expected)
{
	struct buf buf = { 0 };

	buf_add_str(&buf, "> ");
	safe_text_cut(&buf, text, width);
	assert_string_equal(buf_text(&buf) + 2, expected);
	buf_done(&buf);
}

static void cut_to_a_width(void **state)
{
	assert_cut("", 3, "");
	assert_cut("abcdef", 6, "abcdef");
	assert_cut("abcdefg", 6, "abc...");
	assert_cut("abcdefg", 3, "...");
	assert_cut("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4, "\xc3\xa9...");
	assert_cut("a\033bcdef", 8, "a\\x1b...");
}

static void width_counts_characters(void **state)
{
	assert_int_equal(safe_width(""), 0);
	assert_int_equal(safe_width("abc"), 3);
	assert_int_equal(safe_width("caf\xc3\xa9"), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_terminals),  cmocka_unit_test(any_three_bytes),
		cmocka_unit_test(for_csv),	  cmocka_unit_test(for_jansson),
		cmocka_unit_test(for_json),	  cmocka_unit_test(width_counts_characters),
		cmocka_unit_test(cut_to_a_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
