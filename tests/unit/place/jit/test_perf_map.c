/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/perf_map.h"

#include <inttypes.h>

#include "tools.h"

static void take(void *context, const struct perf_map_line *line)
{
	buf_printf(context, "%" PRIx64 "+%" PRIx64 "=%.*s;", line->start, line->size,
		   (int)line->name_length, line->name);
}

/* What is found in the text, and how much of it is done with. */
static size_t parse(const char *text, bool whole, struct buf *found)
{
	buf_clear(found);
	return perf_map_parse(text, strlen(text), whole, take, found);
}

static void test_lines(void **state)
{
	static const struct {
		const char *text, *found;
	} rows[] = {
		{ "7f00 1a foo\n", "7f00+1a=foo;" },
		{ "7F00 1A foo bar /x.js:1:2\n", "7f00+1a=foo bar /x.js:1:2;" },
		{ "0x7f00 0X1a foo\n", "7f00+1a=foo;" },
		{ " 7f00\t1a  foo \r\n", "7f00+1a=foo;" },
		{ "ffffffffffffffff 1 a\n0 0 b\n", "ffffffffffffffff+1=a;0+0=b;" },
		{ "1ffffffffffffffff 1 too many digits\n2 1 b\n", "2+1=b;" },
		{ "000000007f0012345678 00000000000000000010 zeros\n", "7f0012345678+10=zeros;" },
		{ "7f00 1a\n7f00 1a \nfoo\n\n7f00\n zz 1 a\n7f00 1x a\n-1 1 a\n3 1 b\n", "3+1=b;" },
		{ "0x 1 a\n", "" },
		{ "", "" },
	};
	struct buf found = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(parse(rows[i].text, false, &found), strlen(rows[i].text));
		assert_string_equal(buf_text(&found), rows[i].found);
	}
	buf_done(&found);
}

/* The last line may still be written. */
static void test_last_line(void **state)
{
	struct buf found = { 0 };

	(void)state;
	assert_int_equal(parse("1 2 a\n3 4 b", false, &found), 6);
	assert_string_equal(buf_text(&found), "1+2=a;");
	assert_int_equal(parse("1 2 a\n3 4 b", true, &found), 11);
	assert_string_equal(buf_text(&found), "1+2=a;3+4=b;");
	buf_done(&found);
}

/* A NUL ends a name, and nothing else. */
static void test_bytes(void **state)
{
	static const char text[] = "1 2 a\0b\n3 4 \xff\x01\n5 6 \0\n";
	struct buf found = { 0 };

	(void)state;
	assert_int_equal(perf_map_parse(text, sizeof(text) - 1, false, take, &found),
			 sizeof(text) - 1);
	assert_string_equal(buf_text(&found), "1+2=a;3+4=\xff\x01;");
	buf_done(&found);
}

/* A map that another program's authors keep as a test, line by line against awk. */
static void test_recorded(void **state)
{
	const char *cases = getenv("PROSPECT_CASES");
	struct buf text = { 0 }, found = { 0 }, wanted = { 0 };

	(void)state;
	if (tools_run(&text, "cat '%s/jit/perf-42.map' 2>/dev/null",
		      cases ? cases : "../shared/cases") != 0) {
		print_message("no recorded map: set PROSPECT_CASES\n");
		buf_done(&text);
		skip();
	}
	tools_run(&wanted,
		  "awk '{ a = tolower($1); s = tolower($2); sub(/^0+/, \"\", a);"
		  " sub(/^0+/, \"\", s); n = $0; sub(/^[^ ]+ [^ ]+ /, \"\", n);"
		  " printf \"%%s+%%s=%%s;\", a, s, n }' '%s/jit/perf-42.map'",
		  cases ? cases : "../shared/cases");
	assert_int_equal(perf_map_parse(text.bytes, text.size, true, take, &found), text.size);
	assert_string_equal(buf_text(&found), buf_text(&wanted));
	assert_true(found.size > 100000);
	buf_done(&text);
	buf_done(&found);
	buf_done(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_last_line),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
