/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/printed.h"

#include "present/columns.h"

static const struct column spec[] = {
	{ "Name", false, 8 },
	{ "Hits", true, 0 },
	{ "File", false, 0 },
};

static void assert_prints(const struct columns *columns, size_t indent, const char *expected)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	columns_print(columns, indent, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void aligned(void **state)
{
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 3);

	columns_add(columns, "main");
	columns_printf(columns, "%d", 12345);
	columns_add(columns, "/bin/a");
	columns_rule(columns);
	columns_add(columns, "x");
	columns_printf(columns, "%d", 7);
	columns_add(columns, "");
	assert_prints(columns, 1,
		      " Name   Hits  File\n"
		      " -------------------\n"
		      " main  12345  /bin/a\n"
		      " -------------------\n"
		      " x         7  \n");
}

/* A long name takes back what it can from the blanks of the next columns; numbers stay in theirs.
 */
static void long_names_push_their_own_line_only(void **state)
{
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 3);

	columns_add(columns, "a_name_of_21_letters_");
	columns_add(columns, "1");
	columns_add(columns, "/bin/a");
	columns_add(columns, "ten_letter");
	columns_add(columns, "2");
	columns_add(columns, "/bin/b");
	columns_add(columns, "short");
	columns_add(columns, "1000");
	columns_add(columns, "/bin/c");
	assert_prints(columns, 0,
		      "Name      Hits  File\n"
		      "----------------------\n"
		      "a_name_of_21_letters_\n"
		      "             1  /bin/a\n"
		      "ten_letter   2  /bin/b\n"
		      "short     1000  /bin/c\n");
}

/* Without numbers behind it a long name is no reason to break a line. */
static void long_names_before_names(void **state)
{
	static const struct column names[] = { { "Hits", true, 0 },
					       { "Name", false, 4 },
					       { "File", false, 0 } };
	_cleanup_(columns_freep) struct columns *columns = columns_new(names, 3);

	columns_add(columns, "1");
	columns_add(columns, "long_name");
	columns_add(columns, "/bin/a");
	assert_prints(columns, 1,
		      " Hits  Name  File\n"
		      " ------------------\n"
		      "    1  long_name  /bin/a\n");
}

static void cells_are_safe_and_counted_by_character(void **state)
{
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 3);

	columns_add(columns, "\033[1m");
	columns_add(columns, "1");
	columns_add(columns, "f");
	columns_add(columns, "\xc3\xa9t\xc3\xa9");
	columns_add(columns, "2");
	columns_add(columns, "g");
	assert_prints(columns, 0,
		      "Name     Hits  File\n"
		      "-------------------\n"
		      "\\x1b[1m     1  f\n"
		      "\xc3\xa9t\xc3\xa9         2  g\n");
}

/* They are as wide as they like, and stay with their row. */
static void lines_below_a_row(void **state)
{
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 3);

	for (int i = 0; i < 2; i++) {
		columns_add(columns, "x");
		columns_printf(columns, "%d", i);
		columns_add(columns, "f");
		columns_line(columns, i ? "last" : "a line that is wider than the table");
		columns_line(columns, "  second");
	}
	assert_prints(columns, 1,
		      " Name  Hits  File\n"
		      " ----------------\n"
		      " x        0  f\n"
		      " a line that is wider than the table\n"
		      "   second\n"
		      " x        1  f\n"
		      " last\n"
		      "   second\n");
}

static const char *const odd_cells[] = {
	"a_name_of_21_letters_",
	"1",
	"/bin/a",
	"\xc3\xa9t\xc3\xa9",
	"22",
	"",
	"short",
	"123456",
	"\033[1m",
	"",
	"7",
	"/bin/c",
};

enum { ODD_CELLS = sizeof(odd_cells) / sizeof(odd_cells[0]) };

static void add_odd_cells(struct columns *columns)
{
	for (size_t i = 0; i < ODD_CELLS; i++)
		columns_add(columns, odd_cells[i]);
}

static char *kept_text(void)
{
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 3);
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	add_odd_cells(columns);
	columns_print(columns, 2, out);
	fclose(out);
	return text;
}

/* Rows that are told twice come out as those that are kept. */
static void rows_that_are_not_kept(void **state)
{
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 3);
	_cleanup_free_ char *wanted = kept_text();
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	columns_measure(columns);
	add_odd_cells(columns);
	columns_begin(columns, 2, out);
	add_odd_cells(columns);
	fclose(out);
	assert_string_equal(text, wanted);
}

/* Only while rows are measured, and only in a column that is as wide as it gets. */
static void cells_that_need_no_text(void **state)
{
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 3);
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_false(columns_skip(columns));
	columns_measure(columns);
	assert_false(columns_skip(columns));
	columns_add(columns, "8_letters_and_more");
	assert_false(columns_skip(columns));
	columns_decimal(columns, 12345);
	columns_add(columns, "f");
	assert_true(columns_skip(columns));
	columns_fixed(columns, 7, 2);
	columns_add(columns, "/bin/a");
	columns_begin(columns, 0, out);
	assert_false(columns_skip(columns));
	columns_add(columns, "x");
	columns_fixed(columns, 7, 2);
	columns_add(columns, "/bin/a");
	fclose(out);
	assert_string_equal(text, "Name       Hits  File\n"
				  "-----------------------\n"
				  "x          7.00  /bin/a\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_names_before_names),
		cmocka_unit_test(lines_below_a_row),
		cmocka_unit_test(aligned),
		cmocka_unit_test(rows_that_are_not_kept),
		cmocka_unit_test(cells_that_need_no_text),
		cmocka_unit_test(long_names_push_their_own_line_only),
		cmocka_unit_test(cells_are_safe_and_counted_by_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
