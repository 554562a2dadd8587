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

static void assert_middle(const char *text, size_t width, const char *expected)
{
	struct buf buf = { 0 };

	buf_add_str(&buf, "> ");
	safe_text_middle(&buf, text, width);
	assert_string_equal(buf_text(&buf) + 2, expected);
	assert_true(safe_width(expected) <= width);
	buf_done(&buf);
}

static void without_the_middle(void **state)
{
	assert_middle("", 3, "");
	assert_middle("abcdef", 6, "abcdef");
	assert_middle("abcdefg", 6, "ab...g");
	assert_middle("abcdefghij", 3, "...");
	assert_middle("a\033bcdef", 8, "a\\x...ef");
	/* An accent goes with its letter; a wide character takes two columns. */
	assert_middle("cafe\xcc\x81 et the\xcc\x81", 9, "caf...the\xcc\x81");
	assert_middle("ae\xcc\x81zzzzzzze\xcc\x81", 6, "ae\xcc\x81...e\xcc\x81");
	assert_middle("\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\xe7\xac\xa6\xe4\xb8\xb2", 8,
		      "\xe4\xb8\xad...\xe4\xb8\xb2");
}

/* The file of a path stays if it can. */
static void paths_without_their_middle(void **state)
{
	assert_middle("/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0", 30,
		      "/usr/l.../libpython3.11.so.1.0");
	assert_middle("/usr/lib/x86_64-linux-gnu/libc.so.6", 17, "libc.so.6");
	assert_middle("/usr/lib/a/libpython3.11.so.1.0", 12, "libpy....1.0");
	assert_middle("/usr/lib/", 8, "/us...b/");
	assert_string_equal(safe_file_name("/bin/ls"), "ls");
	assert_string_equal(safe_file_name("a/b"), "a/b");
	assert_string_equal(safe_file_name("/usr/lib/"), "/usr/lib/");
}

/* Arguments go first, then template arguments, then what is before the last part. */
static void names_without_arguments(void **state)
{
	static const char name[] = "std::map<int, std::string>::insert(int const&, long) const";

	assert_middle(name, sizeof(name) - 1, name);
	assert_middle(name, 57, "std::map<int, std::string>::insert(int const&, ...) const");
	assert_middle(name, 45, "std::map<int, std::string>::insert(...) const");
	assert_middle(name, 36, "std::map<int,...>::insert(...) const");
	assert_middle(name, 25, "std...::insert(...) const");
	assert_middle(name, 20, "std::map<....) const");
	assert_middle("(anonymous namespace)::foo(int)::{lambda(int)#1}::operator()() const", 50,
		      "(...)::foo(int)::{lambda(i...}::operator()() const");
	assert_middle("<core::iter::Map<I,F> as core::iter::Iterator>::next", 30,
		      "<core::iter::Map<I,F...>::next");
}

/* Brackets that are none, or do not match. */
static void names_with_odd_brackets(void **state)
{
	assert_middle("bool operator< <std::pair<int, long> >(long const&, long)", 31,
		      "bool operator< <std::p...>(...)");
	assert_middle("operator->(a, long, list, of, arguments)", 24, "operator->(a, long, ...)");
	assert_middle("recv->recv_from_another", 15, "recv->...nother");
	assert_middle("f(int)) and more", 10, "f(in...ore");
	assert_middle("operator(((((((((((((((", 10, "oper...(((");
}

static void width_as_a_terminal_draws(void **state)
{
	assert_int_equal(safe_width(""), 0);
	assert_int_equal(safe_width("abc"), 3);
	assert_int_equal(safe_width("caf\xc3\xa9"), 4);
	assert_int_equal(safe_width("cafe\xcc\x81"), 4);
	assert_int_equal(safe_width("\xe4\xb8\xad\xe6\x96\x87"), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_terminals),
		cmocka_unit_test(any_three_bytes),
		cmocka_unit_test(for_csv),
		cmocka_unit_test(width_as_a_terminal_draws),
		cmocka_unit_test(cut_to_a_width),
		cmocka_unit_test(without_the_middle),
		cmocka_unit_test(paths_without_their_middle),
		cmocka_unit_test(names_without_arguments),
		cmocka_unit_test(names_with_odd_brackets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
