/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables, their views, and the page that documents them. */
#include <ctype.h>
#include <fcntl.h>

#include "base/file.h"
#include "store/fixture.h"

enum { PAGE_LIMIT = 1 << 20 };

/* Calls @each for every row of the statement, with its first two texts. */
static void each_row(const char *path, const char *sql,
		     void (*each)(void *context, const char *first, const char *second),
		     void *context)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	while (sqlite3_step(stmt) == SQLITE_ROW)
		each(context, (const char *)sqlite3_column_text(stmt, 0),
		     sqlite3_column_count(stmt) > 1 ? (const char *)sqlite3_column_text(stmt, 1)
						    : "");
	if (sqlite3_finalize(stmt) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static bool is_word_char(char character)
{
	return isalnum((unsigned char)character) || character == '_' || character == '-';
}

/* As a word of its own, not as a part of another. */
static bool has_word(const char *text, const char *end, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) && at < end; at++) {
		if ((at == text || !is_word_char(at[-1])) && !is_word_char(at[length]))
			return true;
	}
	return false;
}

static bool is_heading(const char *line)
{
	return strncmp(line, ".Ss ", 4) == 0 || strncmp(line, ".Sh ", 4) == 0 ||
	       strncmp(line, ".It Sy ", 7) == 0;
}

/* The part of the page about a table or view, from the heading that has its name to the next. */
static const char *part_of(const char *page, const char *name, const char **ret_end)
{
	const char *start = NULL, *line_end;

	for (const char *line = page; (line_end = strchr(line, '\n')); line = line_end + 1) {
		if (start && is_heading(line)) {
			*ret_end = line;
			return start;
		}
		if (is_heading(line) && has_word(line, line_end, name))
			start = line;
	}
	return NULL;
}

static void check_column(void *context, const char *table, const char *column)
{
	const char *end, *part = part_of(context, table, &end);

	if (!part)
		fail_msg("prospect-profile(5) says nothing of %s", table);
	if (!has_word(part, end, column))
		fail_msg("prospect-profile(5) says nothing of %s.%s", table, column);
}

static void check_word(void *context, const char *word, const char *list)
{
	const char *page = context, *end, *part = part_of(page, list, &end);

	if (!part || !has_word(part, end, word))
		fail_msg("prospect-profile(5) says nothing of %s, %s", list, word);
}

static void check_any_word(void *context, const char *word, const char *unused)
{
	(void)unused;
	if (!has_word(context, (const char *)context + PAGE_LIMIT, word))
		fail_msg("prospect-profile(5) says nothing of %s", word);
}

static void the_page_has_everything(void **state)
{
	const struct folder *folder = *state;
	struct buf page = { 0 };

	assert_int_equal(file_read(MAN_PAGE, PAGE_LIMIT, &page), 0);
	fixture_write(folder->path, 10);
	each_row(folder->path,
		 "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c "
		 "WHERE t.type IN ('table', 'view')",
		 check_column, page.bytes);
	each_row(folder->path, "SELECT name, 'header' FROM header", check_word, page.bytes);
	each_row(folder->path, "SELECT name, 'word' FROM word UNION SELECT list, 'word' FROM word",
		 check_word, page.bytes);
	for (int i = 0; i < LOSS_COUNT; i++)
		check_word(page.bytes, loss_name((enum loss_reason)i), "loss");
	check_any_word(page.bytes, "0x50525350", "");
	buf_done(&page);
}

static void count_row(void *context, const char *first, const char *second)
{
	(void)first;
	(void)second;
	(*(int *)context)++;
}

/* Turns the roff of a literal display into what a reader types. */
static char *example_text(const char *start, const char *end)
{
	char *text = calloc((size_t)(end - start) + 1, 1);
	size_t used = 0;

	for (const char *at = start; at < end; at++) {
		if (*at != '\\')
			text[used++] = *at;
	}
	return text;
}

/* Each example runs, and but for two says something about the fixture. */
static void the_examples_run(void **state)
{
	const struct folder *folder = *state;
	struct buf page = { 0 };
	const char *at;
	int examples = 0, with_rows = 0;

	assert_int_equal(file_read(MAN_PAGE, PAGE_LIMIT, &page), 0);
	fixture_write(folder->path, 3000);
	at = strstr(page.bytes, ".Sh EXAMPLES");
	while ((at = strstr(at, ".Bd -literal"))) {
		const char *start = strchr(at, '\n') + 1;
		char *sql = example_text(start, strstr(start, "\n.Ed"));
		int rows = 0;

		each_row(folder->path, sql, count_row, &rows);
		free(sql);
		examples++;
		with_rows += rows > 0;
		at = start;
	}
	assert_int_equal(examples, 6);
	assert_int_equal(with_rows, 4);
	buf_done(&page);
}

static int64_t number(const struct folder *folder, const char *sql)
{
	return fixture_sql_number(folder->path, sql);
}

/* Every view that adds up has every sample once. */
static void views_lose_nothing(void **state)
{
	static const char *const views[] = { "totals",
					     "samples_by_symbol",
					     "samples_by_image",
					     "samples_by_thread",
					     "processes",
					     "seconds",
					     "stacks" };
	const struct folder *folder = *state;
	char sql[128];

	fixture_write(folder->path, 3000);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		snprintf(sql, sizeof(sql), "SELECT sum(samples) FROM %s", views[i]);
		assert_int_equal(number(folder, sql), 3000);
	}
	assert_int_equal(number(folder, "SELECT count(*) FROM frames"), FIXTURE_STACKS + 1);
	assert_int_equal(number(folder, "SELECT count(*) FROM threads"), 3);
	assert_int_equal(number(folder, "SELECT sum(percent) BETWEEN 199.99 AND 200.01 "
					"FROM samples_by_symbol"),
			 1);
}

static void views_say_what_is_so(void **state)
{
	const struct folder *folder = *state;
	int64_t user = 0, interrupts = 0;

	for (uint64_t i = 0; i < 4000; i++) {
		struct sample sample = fixture_sample(i);

		user += sample.task == 2 && sample.mode == MODE_USER;
		interrupts += sample.task == 2 && sample.context != CONTEXT_TASK;
	}
	fixture_write(folder->path, 4000);
	assert_int_equal(number(folder, "SELECT sum(user_samples) FROM processes "
					"WHERE process = 'cc1#2' AND parent = 'init#1'"),
			 user);
	assert_int_equal(number(folder, "SELECT sum(interrupt_samples) FROM processes "
					"WHERE program = 'cc1'"),
			 interrupts);
	assert_int_equal(number(folder, "SELECT count(*) FROM processes WHERE pid = 4194304 "
					"AND cgroup = '/user.slice' AND container = 'box'"),
			 2);
	assert_int_equal(number(folder, "SELECT end_s = 9 AND start_s = 0 FROM processes "
					"WHERE pid = 4194304 LIMIT 1"),
			 1);
	assert_int_equal(number(folder, "SELECT count(*) FROM losses WHERE event = 'cpu-clock' "
					"AND reason = 'ring_full' AND count = 7"),
			 1);
	assert_int_equal(number(folder, "SELECT count(*) FROM frames WHERE kind = 'signal' "
					"AND symbol = 'function_1' AND image = '[unmapped]'"),
			 1);
	assert_int_equal(number(folder, "SELECT parent FROM stack WHERE id = 40"), 19);
	assert_int_equal(number(folder, "SELECT max(second) FROM seconds"), 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_page_has_everything),
		TEST(the_examples_run),
		TEST(views_lose_nothing),
		TEST(views_say_what_is_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
