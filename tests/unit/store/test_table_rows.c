/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows are the same whether they come from the pages or from SQLite. */
#include "store/table_rows.h"

#include <errno.h>

#include "base/buf.h"
#include "store/checksums.h"
#include "store/connection.h"
#include "store/facts.h"
#include "store/fixture.h"
#include "store/layers.h"
#include "store/rows.h"
#include "store/schema.h"

/* All rows as text. */
struct seen {
	struct buf text;
	size_t columns, rows, restarts;
	int rc; /* what to return from row number @stop on */
	size_t stop;
};

/* Numbers by their value: a whole one in a column of real numbers is an integer in the pages. */
static void add_datum(struct buf *text, const struct datum *datum)
{
	double number;

	if (datum_double(datum, &number))
		buf_printf(text, "%a %lld", number, (long long)datum->integer * (number > 1e15));
	else
		buf_printf(text, "%d ", datum->type);
	if (datum->type == SQLITE_TEXT || datum->type == SQLITE_BLOB)
		buf_add(text, datum->bytes, datum->size);
	buf_add_char(text, '|');
}

static int see(void *context, const struct datum *values, struct err *why)
{
	struct seen *seen = context;

	if (seen->rc && seen->rows == seen->stop)
		return err_set(why, seen->rc, "the row is wrong");
	for (size_t i = 0; i < seen->columns; i++)
		add_datum(&seen->text, &values[i]);
	seen->rows++;
	return 0;
}

static void see_anew(void *context)
{
	struct seen *seen = context;

	buf_clear(&seen->text);
	seen->rows = 0;
	seen->restarts++;
}

/* Both ways give the same rows of this table. Returns how many. */
static size_t compare(sqlite3 *db, const char *table, const char *columns)
{
	struct table_source source = { db, pages_open(db) };
	struct seen ours = { .columns = checksums_count(columns) }, sqlites = ours;
	const struct table_visitor our_visitor = { &ours, see_anew, see };
	const struct table_visitor sqlite_visitor = { &sqlites, see_anew, see };
	struct err why;

	assert_non_null(source.pages);
	assert_true(pages_know(source.pages, table));
	assert_int_equal(table_rows_there(&source, table), 1);
	assert_int_equal(table_rows_each(&source, table, columns, &our_visitor, &why), 0);
	assert_int_equal(ours.restarts, 0);
	assert_int_equal(table_rows_each_by_sql(db, table, columns, &sqlite_visitor, &why), 0);
	assert_int_equal(ours.rows, sqlites.rows);
	assert_string_equal(buf_text(&ours.text), buf_text(&sqlites.text));
	buf_done(&ours.text);
	buf_done(&sqlites.text);
	pages_close(source.pages);
	return ours.rows;
}

static void tables_of_a_profile(void **state)
{
	const struct folder *folder = *state;
	size_t rows = 0;
	sqlite3 *db;

	fixture_write(folder->path, 3000);
	assert_int_equal(sqlite3_open(folder->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT 1 FROM header", NULL, NULL, NULL), 0);
	for (size_t i = 0; i < checksums_row_tables; i++)
		rows += compare(db, checksums_rows[i].table, checksums_rows[i].columns);
	for (size_t i = 0; i < checksums_key_tables; i++)
		rows += compare(db, checksums_keys[i].table, checksums_keys[i].columns);
	rows += compare(db, "layer", "id,samples,last_block");
	rows += compare(db, "checksum", "name,part,rows,crc");
	assert_true(rows > 100);
	sqlite3_close(db);
}

/* If a row of the pages is refused, SQLite has the last word. */
static void refused_rows(void **state)
{
	const struct folder *folder = *state;
	struct seen seen = { .columns = 3, .rc = -EBADMSG, .stop = 5 };
	const struct table_visitor visitor = { &seen, see_anew, see };
	struct table_source source;
	struct err why = { "" };

	fixture_write(folder->path, 10);
	assert_int_equal(sqlite3_open(folder->path, &source.db), SQLITE_OK);
	source.pages = pages_open(source.db);
	assert_int_equal(table_rows_each(&source, "stack", "id,up,frame", &visitor, &why),
			 -EBADMSG);
	assert_string_equal(why.text, "the row is wrong");
	assert_int_equal(seen.restarts, 1);
	assert_int_equal(seen.rows, 5);
	buf_done(&seen.text);
	pages_close(source.pages);
	sqlite3_close(source.db);
}

/* A table that is not as in schema.sql is read by SQLite, whatever its order of columns. */
static void other_tables(void **state)
{
	const struct folder *folder = *state;
	struct seen seen = { .columns = 3 };
	const struct table_visitor visitor = { &seen, see_anew, see };
	struct table_source source;
	struct err why;

	fixture_sql(folder->path, "CREATE TABLE stack(frame INTEGER, up INTEGER, "
				  "id INTEGER PRIMARY KEY); INSERT INTO stack VALUES(7, 1, 3)");
	assert_int_equal(sqlite3_open(folder->path, &source.db), SQLITE_OK);
	source.pages = pages_open(source.db);
	assert_false(pages_know(source.pages, "stack"));
	assert_int_equal(table_rows_there(&source, "stack"), 1);
	assert_int_equal(table_rows_there(&source, "frame"), 0);
	assert_false(schema_is_known(&source));
	assert_int_equal(table_rows_each(&source, "stack", "id,up,frame", &visitor, &why), 0);
	assert_string_equal(buf_text(&seen.text), "0x1.8p+1 0|0x1p+0 0|0x1.cp+2 0|");
	buf_done(&seen.text);
	pages_close(source.pages);
	sqlite3_close(source.db);
}

static int take_block(void *context, struct packed_samples *samples, struct err *why)
{
	*(uint64_t *)context += samples->rows.count;
	return 0;
}

/* Parsing the schema takes longer than all that a small profile has. */
static void a_profile_is_read_without_the_schema(void **state)
{
	const struct block_wish all = { 0, INT64_MAX, SAMPLE_ALL, { 0 } };
	const struct folder *folder = *state;
	struct profile *profile = profile_new();
	struct connection connection;
	struct wordlist_map words;
	struct layers layers;
	uint64_t samples = 0, first;
	int used, most;
	bool has_command;
	struct err why;

	fixture_write(folder->path, 3000);
	assert_int_equal(connection_open(&connection, folder->path, &why), 0);
	assert_true(schema_is_known(&connection.source));
	assert_int_equal(wordlist_read(&connection.source, &words, &why), 0);
	assert_int_equal(layers_read(&layers, &connection.source, &why), 0);
	assert_int_equal(connection_read_written(&connection, &why), 0);
	assert_int_equal(
		row_reader_run(&connection.source, &words, &connection.written, profile, &why), 0);
	assert_int_equal(facts_read(&connection.source, &connection.written, profile, &why), 0);
	assert_int_equal(row_reader_command(&connection.source, &has_command, &why), 0);
	assert_int_equal(layers_first_block(&connection, &first), 1);
	assert_int_equal(layers_each_block(&layers, &connection, &all, take_block, &samples, &why),
			 0);
	assert_int_equal(samples, 3000);
	assert_int_equal(
		sqlite3_db_status(connection.db, SQLITE_DBSTATUS_SCHEMA_USED, &used, &most, 0),
		SQLITE_OK);
	assert_int_equal(used, 0);
	connection_close(&connection);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tables_of_a_profile, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(refused_rows, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(other_tables, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_profile_is_read_without_the_schema, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
