/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/printed.h"

#include "present/columns.h"

static const struct column spec[] = {
	{ "Name", false, 8 },
	{ "Hits", true, 0 },
	{ "File", false, 0 },
};

static void assert_prints(struct columns *columns, size_t indent, const char *expected)
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

/* A long name breaks no line if no numbers follow it. */
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

/* Rows that are given twice are printed like rows that are kept. */
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

/* ---- on a screen ---- */

/* Texts lose what the line has too much, first folders, then the middle of the widest; numbers lose
 * nothing. */
static void texts_are_narrowed(void **state)
{
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&(struct screen){ .columns = 40 }, spec, 3);

	columns_add(columns, "a_name_of_32_letters_with_an_end");
	columns_add(columns, "12345");
	columns_add(columns, "/a/path/of/32/letters/with/an.end");
	columns_add(columns, "short");
	columns_add(columns, "1");
	columns_add(columns, "/bin/a");
	assert_prints(columns, 1,
		      " Name                       Hits  File\n"
		      " ---------------------------------------\n"
		      " a_name_of_3...ith_an_end  12345  an.end\n"
		      " short                         1  /bin/a\n");
}

/* On a screen that is wide enough nothing is shortened, and no cap pushes a line. */
static void texts_have_the_room_of_a_screen(void **state)
{
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&(struct screen){ .columns = 60 }, spec, 3);

	columns_add(columns, "a_name_of_21_letters_");
	columns_add(columns, "1");
	columns_add(columns, "/bin/a");
	assert_prints(columns, 0,
		      "Name                   Hits  File\n"
		      "-----------------------------------\n"
		      "a_name_of_21_letters_     1  /bin/a\n");
}

/* The longest texts of a row are shortened until it has 200 columns, the other rows stay. */
static void rows_in_a_pipe_end(void **state)
{
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&(struct screen){ 0 }, spec, 3);
	_cleanup_(columns_freep) struct columns *wide =
		columns_for(&(struct screen){ .wide = true }, spec, 3);
	char name[401], file[151], *text = NULL, *line;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	memset(name, 'n', sizeof(name));
	memset(file, 'f', sizeof(file));
	name[sizeof(name) - 1] = file[sizeof(file) - 1] = '\0';
	for (struct columns *both[] = { columns, wide }, **at = both; at < both + 2; at++) {
		columns_add(*at, name);
		columns_add(*at, "1");
		columns_add(*at, file);
		columns_add(*at, "short");
		columns_add(*at, "1");
		columns_add(*at, file);
		columns_print(*at, 0, out);
	}
	fclose(out);
	line = strtok(text, "\n");
	for (size_t lines = 0; lines < 5; lines++, line = strtok(NULL, "\n")) {
		assert_true(strlen(line) <= SCREEN_FILE_COLUMNS);
		if (strncmp(line, "short", 5) == 0)
			assert_non_null(strstr(line, file));
	}
	while (line && !strstr(line, name))
		line = strtok(NULL, "\n");
	assert_non_null(line);
	free(text);
}

static void spare_columns_go(void **state)
{
	static const struct column wide[] = { { "%", true, 0 },
					      { "95 % within", true, 0 },
					      { "Hits", true, 0 },
					      { "Name", false, 0 } };
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&(struct screen){ .columns = 30 }, wide, 4);

	columns_spare(columns, 1);
	columns_add(columns, "10.00");
	columns_add(columns, "9.00-11.00");
	columns_add(columns, "123");
	columns_add(columns, "name_of_seventeen");
	assert_prints(columns, 0,
		      "Without room on this screen\n"
		      "(--wide): 95 % within\n"
		      "    %  Hits  Name\n"
		      "------------------------------\n"
		      "10.00   123  name_of_seventeen\n");
}

/* Rows that are not kept are narrowed like others. */
static void narrowed_rows_that_are_not_kept(void **state)
{
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&(struct screen){ .columns = 33 }, spec, 3);
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	columns_measure(columns);
	add_odd_cells(columns);
	columns_begin(columns, 0, out);
	add_odd_cells(columns);
	fclose(out);
	assert_string_equal(text, "Name                Hits  File\n"
				  "---------------------------------\n"
				  "a_name_...tters_       1  /bin/a\n"
				  "\xc3\xa9t\xc3\xa9                   22  \n"
				  "short             123456  \\x1b[1m\n"
				  "                       7  /bin/c\n");
}

static void lines_end_at_the_edge(void **state)
{
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&(struct screen){ .columns = 20 }, spec, 3);

	columns_add(columns, "x");
	columns_add(columns, "1");
	columns_add(columns, "f");
	columns_line(columns, "a line that is wider than the screen");
	assert_prints(columns, 2,
		      "  Name  Hits  File\n"
		      "  ----------------\n"
		      "  x        1  f\n"
		      "  a line t... screen\n");
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	for (; *text; text += strcspn(text, "\n") + 1) {
		size_t length = strcspn(text, "\n");

		longest = length > longest ? length : longest;
	}
	return longest;
}

/* The columns of a row alone, and lines below it, are too wide for a pipe, and for a screen. */
static void many_wide_columns_fit(void **state)
{
	static const size_t most[] = { 80, SCREEN_FILE_COLUMNS };
	struct column many[9] = { 0 };
	char name[401], *text;
	size_t size;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < 9; i++)
		many[i] = (struct column){ "key", false, 40 };
	for (size_t i = 0; i < 2; i++) {
		_cleanup_(columns_freep) struct columns *columns = columns_for(
			&(struct screen){ .columns = i ? 0 : most[i] }, many, i ? 9 : 5);
		FILE *out = open_memstream(&text, &size);

		for (size_t at = 0; at < (i ? 9 : 5); at++)
			columns_add(columns, name);
		columns_line(columns, name);
		columns_print(columns, 0, out);
		fclose(out);
		assert_int_equal(longest_line(text), most[i]);
		free(text);
	}
}

static void assert_bars(bool utf8, const char *expected)
{
	static const struct column with_bar[] = { { "%", true, 0 },
						  { "", false, 0 },
						  { "N", false, 0 } };
	static const double shares[] = { 1.5, 0.5, 0.26, 0, -1 };
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&(struct screen){ .utf8 = utf8 }, with_bar, 3);

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		columns_printf(columns, "%.0f", 100 * shares[i]);
		columns_bar(columns, shares[i]);
		columns_add(columns, "x");
	}
	columns_save_line(columns);
	assert_prints(columns, 0, expected);
}

static void bars(void **state)
{
	assert_bars(false, "   %              N\n"
			   " 150  ##########  x\n"
			   "  50  #####       x\n"
			   "  26  ###         x\n"
			   "   0              x\n"
			   "-100              x\n");
	assert_bars(true, "   %              N\n"
			  " 150  ██████████  x\n"
			  "  50  █████       x\n"
			  "  26  ██▋         x\n"
			  "   0              x\n"
			  "-100              x\n");
}

/* A colour surrounds its text and takes no room. */
static void colours(void **state)
{
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&(struct screen){ .colour = true }, spec, 3);

	columns_add(columns, "main");
	columns_tint(columns, TINT_HOT);
	columns_add(columns, "12");
	columns_add(columns, "f");
	columns_save_line(columns);
	assert_prints(columns, 0,
		      "\033[1mName\033[0m  \033[1mHits\033[0m  \033[1mFile\033[0m\n"
		      "main    \033[31m12\033[0m  f\n");
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
		cmocka_unit_test(texts_are_narrowed),
		cmocka_unit_test(texts_have_the_room_of_a_screen),
		cmocka_unit_test(rows_in_a_pipe_end),
		cmocka_unit_test(spare_columns_go),
		cmocka_unit_test(narrowed_rows_that_are_not_kept),
		cmocka_unit_test(lines_end_at_the_edge),
		cmocka_unit_test(many_wide_columns_fit),
		cmocka_unit_test(bars),
		cmocka_unit_test(colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
