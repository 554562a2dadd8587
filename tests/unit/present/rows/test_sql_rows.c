/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of SQL in each format: types, hostile texts, names that are there twice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "present/rows/sql_rows.h"

static const char *const names[] = { "n", "text", "n", "a \"b\"", "x,y" };

enum { COUNT = 5 };

static struct value text_value(const char *text, size_t size)
{
	return (struct value){ .type = VALUE_TEXT, .text = text, .size = size };
}

/* What is printed of two rows, a plain one and a hostile one. The caller frees it. */
static char *print(enum sql_rows_format format, bool complete)
{
	static const uint8_t bytes[] = { 0x00, 0xff };
	struct value rows[2][COUNT] = {
		{ { .type = VALUE_INTEGER, .integer = INT64_MIN },
		  text_value("plain", 5),
		  { .type = VALUE_REAL, .real = 1.0 / 3 },
		  { .type = VALUE_NULL },
		  { .type = VALUE_BYTES, .bytes = bytes, .size = 2 } },
		{ { .type = VALUE_INTEGER, .integer = 7 },
		  text_value("a\0b\n\"c\",\x1b[31m\xff", 14),
		  { .type = VALUE_REAL, .real = INFINITY },
		  { .type = VALUE_REAL, .real = 5 },
		  text_value("", 0) },
	};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct sql_rows *made = sql_rows_new(format, "SELECT \"1\"", names, COUNT, out);

	for (size_t i = 0; i < 2; i++)
		sql_rows_add(made, rows[i]);
	sql_rows_finish(made, complete);
	sql_rows_free(made);
	fclose(out);
	return text;
}

static void expect(enum sql_rows_format format, bool complete, const char *wanted)
{
	char *text = print(format, complete);

	assert_string_equal(text, wanted);
	free(text);
}

static void text_is_aligned_and_safe(void **state)
{
	(void)state;
	expect(SQL_ROWS_TEXT, true,
	       "                   n  text                             n:2  a \"b\"  x,y\n"
	       "-----------------------------------------------------------------------\n"
	       "-9223372036854775808  plain                       0.333333   NULL  00ff\n"
	       "                   7  a\\x00b\\x0a\"c\",\\x1b[31m\\xff       inf    5.0  \n");
}

static void csv_keeps_every_digit(void **state)
{
	(void)state;
	expect(SQL_ROWS_CSV, true,
	       "n,text,n:2,\"a \"\"b\"\"\",\"x,y\"\n"
	       "-9223372036854775808,plain,0.3333333333333333,,00ff\n"
	       "7,\"a\\x00b\\x0a\"\"c\"\",\\x1b[31m\\xff\",inf,5.0,\n");
}

static void json_is_json(void **state)
{
	(void)state;
	expect(SQL_ROWS_JSON, false,
	       "{\"header\":{\"query\":\"SELECT \\\"1\\\"\",\"columns\":[\"n\",\"text\",\"n:2\","
	       "\"a \\\"b\\\"\",\"x,y\"]},\n\"rows\":[\n"
	       "{\"n\":-9223372036854775808,\"text\":\"plain\",\"n:2\":0.3333333333333333,"
	       "\"a \\\"b\\\"\":null,\"x,y\":\"00ff\"},\n"
	       "{\"n\":7,\"text\":\"a\\\\x00b\\u000a\\\"c\\\",\\u001b[31m\\\\xff\",\"n:2\":9e999,"
	       "\"a \\\"b\\\"\":5.0,\"x,y\":\"\"}\n],\n\"complete\":false}\n");
}

/* On a screen texts are shortened in the middle, down to a width that still says something. */
static void rows_fit_a_screen(void **state)
{
	static const char *const three[] = { "n", "text", "file" };
	struct value values[] = { { .type = VALUE_INTEGER, .integer = 12345 },
				  text_value("a_name_with_many_letters_and_an_end", 35),
				  text_value("/usr/lib/x86_64-linux-gnu/libc.so.6", 35) };
	char *text;
	size_t size;

	(void)state;
	for (size_t columns = 0; columns <= 60; columns += 20) {
		FILE *out = open_memstream(&text, &size);
		struct sql_rows *made = sql_rows_new(SQL_ROWS_TEXT, "", three, 3, out);

		sql_rows_fit(made, columns);
		sql_rows_add(made, values);
		sql_rows_finish(made, true);
		sql_rows_free(made);
		fclose(out);
		assert_int_equal(!columns, !strstr(text, "..."));
		assert_non_null(strstr(text, "12345"));
		assert_non_null(strstr(text, "libc.so.6"));
		if (columns >= 60 && strcspn(strchr(text, '-'), "\n") > columns)
			fail_msg("wider than %zu: %s", columns, text);
		free(text);
	}
}

/* Rows whose columns have no room even so are lists. */
static void rows_without_room_are_lists(void **state)
{
	static const char *const many[] = { "n", "a_column_with_a_long_name", "text", "file",
					    "end" };
	struct value values[] = { { .type = VALUE_INTEGER, .integer = 12345 },
				  text_value("a_name_with_many_letters_and_an_end", 35),
				  text_value("caf\xc3\xa9", 5),
				  text_value("/usr/lib/x86_64-linux-gnu/libc.so.6", 35),
				  { .type = VALUE_NULL } };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct sql_rows *made = sql_rows_new(SQL_ROWS_TEXT, "", many, 5, out);

	(void)state;
	sql_rows_fit(made, 50);
	sql_rows_add(made, values);
	sql_rows_add(made, values);
	sql_rows_finish(made, true);
	sql_rows_free(made);
	fclose(out);
	assert_string_equal(text, "-- row 1 -----------------------------------------\n"
				  "n                          12345\n"
				  "a_column_with_a_long_name  a_name_wit...and_an_end\n"
				  "text                       caf\xc3\xa9\n"
				  "file                       /usr/lib/x.../libc.so.6\n"
				  "end                        NULL\n"
				  "-- row 2 -----------------------------------------\n"
				  "n                          12345\n"
				  "a_column_with_a_long_name  a_name_wit...and_an_end\n"
				  "text                       caf\xc3\xa9\n"
				  "file                       /usr/lib/x.../libc.so.6\n"
				  "end                        NULL\n");
	free(text);
}

/* Rows are printed as they come once the widths are known; none is lost on the way. */
static void many_rows(void **state)
{
	static const char *const one[] = { "n" };
	char *text;
	size_t size, lines = 0;
	FILE *out = open_memstream(&text, &size);
	struct sql_rows *made = sql_rows_new(SQL_ROWS_TEXT, "", one, 1, out);

	(void)state;
	for (int64_t i = 1; i <= 2500; i++)
		sql_rows_add(made, &(struct value){ .type = VALUE_INTEGER, .integer = i });
	sql_rows_finish(made, true);
	sql_rows_free(made);
	fclose(out);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 2502);
	assert_non_null(strstr(text, "\n1000\n1001\n"));
	assert_non_null(strstr(text, "\n2500\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned_and_safe),
		cmocka_unit_test(csv_keeps_every_digit),
		cmocka_unit_test(json_is_json),
		cmocka_unit_test(rows_fit_a_screen),
		cmocka_unit_test(rows_without_room_are_lists),
		cmocka_unit_test(many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
