/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQL over profiles: what can be asked, what cannot, and windows of time against all samples. */
#include <errno.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "store/fixture.h"
#include "store/sql/query.h"

enum { SAMPLES = 6000 };

static struct query *open_query(const char *path, const struct query_setup *setup)
{
	static const struct query_setup none;
	struct query *query;
	struct err err;

	if (query_open(path, setup ? setup : &none, &query, &err) < 0)
		fail_msg("%s", err.text);
	return query;
}

static void prepare(struct query *query, const char *sql)
{
	struct err err;

	if (query_prepare(query, sql, &err) < 0)
		fail_msg("%s: %s", sql, err.text);
}

/* The first value of the first row, as a number. */
static int64_t ask(struct query *query, const char *sql)
{
	struct err err;

	prepare(query, sql);
	if (query_step(query, &err) != 1)
		fail_msg("%s: no row", sql);
	return query_value(query, 0).integer;
}

static void expect_text(struct query *query, const char *sql, const char *wanted)
{
	struct err err;

	prepare(query, sql);
	assert_int_equal(query_step(query, &err), 1);
	assert_int_equal(query_value(query, 0).type, VALUE_TEXT);
	assert_string_equal(query_value(query, 0).text, wanted);
}

static void expect_refused(struct query *query, const char *sql, int rc, const char *text)
{
	struct err err;
	int got = query_prepare(query, sql, &err);

	if (got != rc || !strstr(err.text, text))
		fail_msg("%s: %d, %s", sql, got, got < 0 ? err.text : "");
}

static void only_one_select_is_run(void **state)
{
	static const char *const others[] = {
		"INSERT INTO event(id) VALUES(9)",
		"UPDATE event SET name = 'x'",
		"DELETE FROM total",
		"WITH x AS (SELECT 1) DELETE FROM total",
		"CREATE TABLE x(a)",
		"CREATE TEMP TABLE x(a)",
		"CREATE TEMP VIEW x AS SELECT 1",
		"CREATE TEMP TRIGGER x AFTER INSERT ON event BEGIN SELECT 1; END",
		"CREATE VIRTUAL TABLE temp.x USING fts5(a)",
		"DROP VIEW totals",
		"ALTER TABLE event ADD x",
		"ATTACH '/tmp/x' AS y",
		"DETACH main",
		"VACUUM INTO '/tmp/x'",
		"PRAGMA user_version = 7",
		"PRAGMA journal_mode = WAL",
		"PRAGMA temp_store_directory = '/tmp'",
		"BEGIN",
		"COMMIT",
		"SAVEPOINT x",
		"REINDEX",
		"ANALYZE",
	};
	const struct folder *folder = *state;
	struct query *query;

	fixture_write(folder->path, 10);
	query = open_query(folder->path, NULL);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		expect_refused(query, others[i], -EPERM, "only SELECT");
	expect_refused(query, "UPDATE sqlite_master SET sql = ''", -EINVAL, "may not be modified");
	expect_refused(query, "SELECT load_extension('x')", -EINVAL, "load_extension");
	expect_refused(query, "SELECT 1; SELECT 2", -EINVAL,
		       "line 1, column 11: a second statement");
	expect_refused(query, "SELECT 1; junk", -EINVAL, "one statement at a time");
	expect_refused(query, " ; -- nothing\n/* here */", -EINVAL, "no SQL statement");
	expect_refused(query, "SELECT 1,\n  \xc3\xa9 FROM totals", -EINVAL, "line 2, column 3: ");
	expect_refused(query, ";;\nSELECT x", -EINVAL, "line 2, column 8: no such column: x");
	expect_refused(query, "SELECT 1 FROM nowhere", -EINVAL, "lists tables");
	assert_int_equal(ask(query, "; SELECT 7 ; -- that is all\n ;"), 7);
	assert_int_equal(ask(query, "SELECT count(*) FROM pragma_table_info('totals')"), 21);
	assert_int_equal(ask(query, "SELECT sum(value) FROM json_each('[3,4]')"), 7);
	assert_int_equal(ask(query, "SELECT count(*) FROM sample_row"), 10);
	query_close(query);
}

/* What a sample of the fixture has in a time column. */
static double time_of(uint64_t index, const char *column)
{
	uint64_t time_ns = fixture_sample(index).time_ns;

	if (strcmp(column, "time_ns") == 0)
		return (double)time_ns;
	if (strcmp(column, "second") == 0)
		return (double)(time_ns / NS_PER_S - FIXTURE_START_S);
	return (double)(time_ns - FIXTURE_START_S * NS_PER_S) / 1e9;
}

static bool holds(double left, const char *op, double right)
{
	if (op[0] == '=')
		return left == right;
	if (op[0] == '<')
		return op[1] ? left <= right : left < right;
	return op[1] ? left >= right : left > right;
}

static void check_window(struct query *query, const char *column, const char *op, double bound)
{
	char sql[160];
	int64_t wanted = 0;

	for (uint64_t i = 0; i < SAMPLES; i++)
		wanted += holds(time_of(i, column), op, bound);
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM sample WHERE %s %s %.9f", column, op,
		 bound);
	if (ask(query, sql) != wanted)
		fail_msg("%s: not %lld", sql, (long long)wanted);
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM sample WHERE +%s %s %.9f", column, op,
		 bound);
	assert_int_equal(ask(query, sql), wanted);
}

static void windows_are_what_a_look_at_everything_gives(void **state)
{
	static const char *const ops[] = { "=", "<", "<=", ">", ">=" };
	static const struct {
		const char *column;
		double bounds[6];
	} columns[] = {
		{ "time_s", { -1, 0, 0.5, 1, 1.2345, 99 } },
		{ "second", { -1, 0, 1, 1.5, 2, 1e18 } },
		{ "time_ns", { -5, 5e12, 5.0005e12, 5.001e12, 5.0012345e12, 9e18 } },
	};
	const struct folder *folder = *state;
	struct query *query;

	fixture_write(folder->path, SAMPLES);
	query = open_query(folder->path, NULL);
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < 6; j++) {
			for (size_t op = 0; op < 5; op++)
				check_window(query, columns[i].column, ops[op],
					     columns[i].bounds[j]);
		}
	}
	assert_int_equal(ask(query, "SELECT count(*) FROM sample"), SAMPLES);
	assert_int_equal(ask(query, "SELECT count(*) FROM sample WHERE time_s < NULL"), 0);
	assert_int_equal(ask(query, "SELECT count(*) FROM sample WHERE time_s < 'x'"), SAMPLES);
	assert_int_equal(ask(query, "SELECT count(*) FROM sample WHERE time_s BETWEEN 1 AND 0"), 0);
	assert_int_equal(ask(query, "SELECT count(DISTINCT sample.second) FROM seconds JOIN sample "
				    "ON sample.second = seconds.second"),
			 2);
	query_close(query);
}

/* A window looks only at its own blocks: damage elsewhere is not met. */
static void a_window_reads_only_its_blocks(void **state)
{
	const struct folder *folder = *state;
	struct query *query;
	struct err err;

	fixture_write(folder->path, SAMPLES);
	fixture_sql(folder->path, "UPDATE block SET data = x'00' WHERE second = 5000");
	query = open_query(folder->path, NULL);
	assert_true(ask(query, "SELECT count(*) FROM sample WHERE second = 1") > 0);
	assert_true(ask(query, "SELECT count(*) FROM sample WHERE time_s > 1.1") > 0);
	prepare(query, "SELECT count(*) FROM sample");
	assert_int_equal(query_step(query, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "checksum mismatch in"));
	query_close(query);
}

static void names_are_those_of_the_profile(void **state)
{
	const struct folder *folder = *state;
	struct query *query;

	fixture_write(folder->path, SAMPLES);
	query = open_query(folder->path, NULL);
	assert_int_equal(ask(query,
			     "SELECT count(*) FROM (SELECT event, process, pid, tid, thread, "
			     "mode, context, image, symbol, function, address, stack, frame, "
			     "task, process_id, sum(samples), sum(weight) FROM totals "
			     "GROUP BY stack, task, event, mode, context EXCEPT "
			     "SELECT event, process, pid, tid, thread, mode, context, image, "
			     "symbol, function, address, stack, frame, task, process_id, "
			     "count(*), sum(weight) FROM sample "
			     "GROUP BY stack, task, event, mode, context)"),
			 0);
	expect_text(query, "SELECT process FROM sample WHERE tid = -7 LIMIT 1", "cc1#2");
	expect_text(query, "SELECT stack_text(7)", "function_0;function_1;function_3");
	for (size_t i = 0; i < 2; i++) {
		static const char *const names[] = { "function_0", "function_6*" };
		char sql[240];

		snprintf(sql, sizeof(sql),
			 "SELECT count(*) FROM stack WHERE stack_has(id, '%s') IS NOT "
			 "(';' || stack_text(id) || ';' GLOB '*;%s;*')",
			 names[i], names[i]);
		assert_int_equal(ask(query, sql), 0);
		snprintf(sql, sizeof(sql), "SELECT sum(stack_has(id, '%s')) > 3 FROM stack",
			 names[i]);
		assert_int_equal(ask(query, sql), 1);
	}
	assert_int_equal(ask(query,
			     "SELECT stack_has(1 << 40, 'x') IS NULL AND "
			     "stack_has(NULL, 'x') IS NULL AND stack_has(7, NULL) IS NULL AND "
			     "stack_has(7, 'x') = 0"),
			 1);
	expect_text(query, "SELECT text FROM stacks WHERE stack = 7",
		    "function_0;function_1;function_3");
	assert_int_equal(ask(query, "SELECT count(*) FROM (SELECT stack_text(0) AS t UNION ALL "
				    "SELECT stack_text(-1) UNION ALL SELECT stack_text(1 << 40) "
				    "UNION ALL SELECT stack_text('x') UNION ALL "
				    "SELECT stack_text(NULL)) WHERE t IS NULL OR t = ''"),
			 5);
	query_close(query);
}

/* The views in the file, as SQLite alone sees them, have the same columns and rows. */
static void check_view(void *context, const struct query_view *view)
{
	const struct folder *folder = context;
	struct buf columns = { 0 }, sql = { 0 };

	assert_true(strlen(view->summary) > 5);
	if (strcmp(view->name, "sample") == 0)
		return;
	for (size_t i = 0; i < view->column_count; i++)
		buf_printf(&columns, "%s%s", i ? "," : "", view->columns[i]);
	buf_printf(&sql, "SELECT group_concat(name) = '%s' FROM pragma_table_info('%s')",
		   buf_text(&columns), view->name);
	if (fixture_sql_number(folder->path, buf_text(&sql)) != 1)
		fail_msg("the file's %s has not the columns %s", view->name, buf_text(&columns));
	buf_clear(&sql);
	buf_printf(&sql, "SELECT count(*) FROM %s", view->name);
	{
		struct query *query = open_query(folder->path, NULL);
		int64_t rows = ask(query, buf_text(&sql));

		query_close(query);
		assert_int_equal(fixture_sql_number(folder->path, buf_text(&sql)), rows);
	}
	buf_done(&columns);
	buf_done(&sql);
}

static void the_file_has_the_same_views(void **state)
{
	struct folder *folder = *state;
	struct err err;

	fixture_write(folder->path, 300);
	assert_int_equal(query_each_view(check_view, folder, &err), 0);
	assert_int_equal(fixture_sql_number(folder->path,
					    "SELECT text = 'function_0;function_1;function_3' "
					    "FROM stacks WHERE stack = 7"),
			 1);
}

static const char *shout(void *context, const char *name)
{
	return strcmp(name, "function_3") == 0 ? context : name;
}

static void names_are_demangled(void **state)
{
	const struct folder *folder = *state;
	char loud[] = "f<a;b>()";
	struct query_setup setup = { .demangle = shout, .demangle_context = loud };
	struct query *query;

	fixture_write(folder->path, 300);
	query = open_query(folder->path, &setup);
	expect_text(query, "SELECT demangle('function_3')", "f<a;b>()");
	expect_text(query, "SELECT function FROM frames WHERE symbol = 'function_3'", "f<a;b>()");
	expect_text(query, "SELECT stack_text(7)", "function_0;function_1;f<a\\x3bb>()");
	assert_int_equal(ask(query, "SELECT demangle(NULL) IS NULL AND demangle(5) = 5"), 1);
	query_close(query);
}

/* As screens do it; the symbol stays what the file has. Of the symbols in a file the fourth is of one
 * without symbols, and the tenth lies between two. */
static void code_without_a_symbol_is_a_place(void **state)
{
	const struct folder *folder = *state;
	const char *const same = "SELECT count(*) FROM functions WHERE symbol_id IN (4, 10) AND "
				 "symbol = 'function_' || ((symbol_id - 1) / 2) AND "
				 "function = 'libc.so.6+0x' || CASE symbol_id WHEN 4 THEN 'c0' "
				 "ELSE '240' END";
	const char *const text = "function_0;libc.so.6+0xc0;libc.so.6+0x240";
	struct query *query;

	fixture_write(folder->path, SAMPLES);
	query = open_query(folder->path, NULL);
	assert_int_equal(ask(query, same), 2);
	assert_int_equal(fixture_sql_number(folder->path, same), 2);
	assert_int_equal(ask(query, "SELECT count(*) FROM functions WHERE symbol_id > 0 AND "
				    "function <> symbol AND (image_id <> 1 OR "
				    "symbol_kind IN ('named', 'plt'))"),
			 0);
	expect_text(query, "SELECT function FROM frames WHERE symbol_id = 10", "libc.so.6+0x240");
	expect_text(query, "SELECT function FROM totals WHERE stack = 10", "libc.so.6+0x240");
	expect_text(query, "SELECT function FROM samples_by_symbol WHERE symbol_id = 10",
		    "libc.so.6+0x240");
	expect_text(query, "SELECT stack_text(10)", text);
	expect_text(query, "SELECT text FROM stacks WHERE stack = 10", text);
	assert_int_equal(fixture_sql_number(folder->path,
					    "SELECT text = 'function_0;libc.so.6+0xc0;"
					    "libc.so.6+0x240' FROM stacks WHERE stack = 10"),
			 1);
	assert_int_equal(ask(query, "SELECT stack_has(10, 'libc.so.6+0x240') + "
				    "stack_has(10, 'libc*') + stack_has(10, 'function_4')"),
			 3);
	assert_int_equal(ask(query, "SELECT stack_has(10, 'function_5')"), 0);
	query_close(query);
}

/* Layer 2 of a recording that goes on, or was killed and lies where the user may not write. */
static void a_live_recording_is_seen_whole(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct query *query;

	fixture_add(writer, 0, 1000);
	fixture_flush(writer);
	query = open_query(folder->path, NULL);
	assert_int_equal(ask(query, "SELECT sum(samples) FROM totals"), 1000);
	assert_int_equal(ask(query, "SELECT sum(samples) FROM seconds"), 1000);
	assert_int_equal(ask(query, "SELECT sum(samples) FROM processes"), 1000);
	assert_int_equal(ask(query, "SELECT count(*) FROM sample"), 1000);
	query_close(query);
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
}

/* Marks are in order of time; a file from before there were marks has none. */
static void marks_are_a_view(void **state)
{
	const struct folder *folder = *state;
	struct query *query;

	fixture_write(folder->path, 10);
	query = open_query(folder->path, NULL);
	expect_text(query, "SELECT text FROM marks LIMIT 1", "an earlier one");
	assert_int_equal(ask(query, "SELECT time_s = 1.000000005 FROM marks LIMIT 1 OFFSET 1"), 1);
	query_close(query);
	fixture_sql(folder->path, "DROP VIEW marks; DROP TABLE mark");
	query = open_query(folder->path, NULL);
	assert_int_equal(ask(query, "SELECT count(*) FROM marks"), 0);
	query_close(query);
}

static void check_everything(const char *path, int64_t samples)
{
	static const char *const views[] = { "totals",
					     "samples_by_symbol",
					     "samples_by_image",
					     "samples_by_thread",
					     "processes",
					     "seconds",
					     "stacks" };
	struct query *query = open_query(path, NULL);
	char sql[80];

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		snprintf(sql, sizeof(sql), "SELECT sum(samples) FROM %s", views[i]);
		assert_int_equal(ask(query, sql), samples);
	}
	query_close(query);
}

static void older_files_have_the_views_too(void **state)
{
	const struct folder *folder = *state;

	fixture_write(folder->path, 700);
	fixture_sql(folder->path, "DROP VIEW totals; DROP VIEW stacks; DROP VIEW frame_total;"
				  "DROP VIEW samples_by_symbol; DROP VIEW threads");
	check_everything(folder->path, 700);
}

/* What SQLite gives by itself, and what the virtual tables make of the pages. */
static void sums_are_those_of_the_file(void **state)
{
	static const char *const tables[] = { "frame_total", "task_total", "stack_total" };
	const struct folder *folder = *state;
	struct query *query;
	char sql[256];

	fixture_write(folder->path, SAMPLES);
	query = open_query(folder->path, NULL);
	for (size_t i = 0; i < 3; i++) {
		static const char digest[] = "SELECT sum(%s * 7 + event * 11 + samples * 13 + "
					     "weight * 17 + samples * %s * event) FROM %s";
		char column[16];

		snprintf(column, sizeof(column), "%.5s", tables[i]);
		if (column[4] == '_')
			column[4] = '\0';
		snprintf(sql, sizeof(sql), digest, column, column, tables[i]);
		assert_int_equal(ask(query, sql), fixture_sql_number(folder->path, sql));
		snprintf(
			sql, sizeof(sql),
			"SELECT count(*) FROM %s AS a, (SELECT %s AS id, sum(samples) AS n FROM %s "
			"GROUP BY 1) AS b WHERE a.%s = b.id AND a.samples > b.n",
			tables[i], column, tables[i], column);
		assert_int_equal(ask(query, sql), 0);
	}
	assert_int_equal(
		ask(query, "SELECT count(*) FROM stack_total WHERE stack = 7 OR stack = -1"), 2);
	assert_int_equal(ask(query, "SELECT count(*) FROM stack_total WHERE stack = 7.0"), 2);
	assert_int_equal(ask(query, "SELECT count(*) FROM stack_total WHERE stack = 'x'"), 0);
	query_close(query);
}

/* Whatever SQLite can read is read, also what is not as our own writer has it. */
static void odd_tables_are_left_to_sqlite(void **state)
{
	const struct folder *folder = *state;

	fixture_write(folder->path, 700);
	fixture_sql(folder->path, "ALTER TABLE total ADD more INTEGER;"
				  "ALTER TABLE stack ADD more INTEGER");
	check_everything(folder->path, 700);
}

static void what_a_file_brings_along_does_not_run(void **state)
{
	const struct folder *folder = *state;
	struct query *query;

	fixture_write(folder->path, 100);
	fixture_sql(
		folder->path,
		"DROP VIEW totals; CREATE VIEW totals AS SELECT 'foreign' AS event, 1 AS samples;"
		"DROP VIEW task_total; CREATE VIEW task_total AS SELECT 'foreign';"
		"CREATE VIEW mine AS SELECT 1; CREATE VIRTUAL TABLE words USING fts5(a)");
	query = open_query(folder->path, NULL);
	assert_int_equal(ask(query, "SELECT count(*) FROM totals WHERE event = 'foreign'"), 0);
	assert_int_equal(ask(query, "SELECT sum(samples) FROM samples_by_image"), 100);
	expect_refused(query, "SELECT * FROM mine", -EINVAL, "are not run");
	expect_refused(query, "SELECT * FROM words", -EINVAL, "no such module");
	query_close(query);
}

static const char endless[] = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
			      "SELECT count(*) FROM c";

static bool stop_now(void *context)
{
	++*(int *)context;
	return true;
}

static void limits_hold(void **state)
{
	const struct folder *folder = *state;
	int asked = 0;
	struct query_setup slow = { .max_seconds = 0.05 };
	struct query_setup small = { .max_bytes = 32 << 20 };
	struct query_setup stopped = { .stop = stop_now, .stop_context = &asked };
	struct query *query;
	struct err err;

	fixture_write(folder->path, 100);
	query = open_query(folder->path, &slow);
	prepare(query, endless);
	assert_int_equal(query_step(query, &err), -ETIME);
	assert_non_null(strstr(err.text, "time limit of 0.05 s"));
	assert_int_equal(ask(query, "SELECT 5"), 5);
	query_close(query);
	query = open_query(folder->path, &stopped);
	prepare(query, endless);
	assert_int_equal(query_step(query, &err), -EINTR);
	assert_int_equal(asked, 1);
	query_close(query);
	query = open_query(folder->path, &small);
	prepare(query, "SELECT length(zeroblob(40000000) || 'x')");
	assert_int_equal(query_step(query, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "32 MB"));
	query_close(query);
}

static void what_is_no_profile_is_refused(void **state)
{
	const struct folder *folder = *state;
	static const struct query_setup setup;
	struct query *query;
	struct err err;

	assert_int_equal(query_open(folder->path, &setup, &query, &err), -ENOENT);
	fixture_sql(folder->path, "CREATE TABLE x(a)");
	assert_int_equal(query_open(folder->path, &setup, &query, &err), -EINVAL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_one_select_is_run),
		TEST(windows_are_what_a_look_at_everything_gives),
		TEST(a_window_reads_only_its_blocks),
		TEST(names_are_those_of_the_profile),
		TEST(the_file_has_the_same_views),
		TEST(names_are_demangled),
		TEST(code_without_a_symbol_is_a_place),
		TEST(a_live_recording_is_seen_whole),
		TEST(older_files_have_the_views_too),
		TEST(marks_are_a_view),
		TEST(sums_are_those_of_the_file),
		TEST(odd_tables_are_left_to_sqlite),
		TEST(what_a_file_brings_along_does_not_run),
		TEST(limits_hold),
		TEST(what_is_no_profile_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
