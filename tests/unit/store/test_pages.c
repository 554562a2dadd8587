/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQLite writes the files, and says what is in them. */
#include "store/fixture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "store/pages.h"

static const char *const layouts[] = {
	"CREATE TABLE plain(id INTEGER PRIMARY KEY, a INTEGER, b REAL, more INTEGER AS (a & 7)) "
	"STRICT",
	"CREATE TABLE keyed(k INTEGER, l INTEGER, a INTEGER, b REAL, PRIMARY KEY(k, l)) STRICT, "
	"WITHOUT ROWID",
};

/* Integers of every length that a row can have. */
static int64_t any_integer(uint64_t *random)
{
	unsigned bits = (unsigned)(fixture_random(random) % 65);
	uint64_t value = bits ? fixture_random(random) >> (64 - bits) : 0;

	return (int64_t)(fixture_random(random) % 2 ? value : -value);
}

static void insert(sqlite3 *db, const char *sql, bool keyed, int rows)
{
	sqlite3_stmt *stmt;
	uint64_t random = 7;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	for (int i = 0; i < rows; i++) {
		sqlite3_bind_int64(stmt, 1, keyed ? any_integer(&random) : i);
		sqlite3_bind_int64(stmt, 2, any_integer(&random));
		sqlite3_bind_double(stmt, 3, i % 3 ? (double)any_integer(&random) / 7.0 : i);
		if (keyed)
			sqlite3_bind_int64(stmt, 4, i);
		sqlite3_step(stmt); /* a key may be there already */
		sqlite3_reset(stmt);
	}
	sqlite3_finalize(stmt);
}

/* Both tables with some rows in pages of @page_bytes. */
static void write_file(const char *path, int page_bytes, int rows)
{
	sqlite3 *db;
	char sql[64];

	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	snprintf(sql, sizeof(sql), "PRAGMA page_size = %d", page_bytes);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
	for (int i = 0; i < 2; i++)
		assert_int_equal(sqlite3_exec(db, layouts[i], NULL, NULL, NULL), SQLITE_OK);
	insert(db, "INSERT INTO plain(id, a, b) VALUES(?1, ?2, ?3)", false, rows);
	insert(db, "INSERT INTO keyed(k, a, b, l) VALUES(?1, ?2, ?3, ?4)", true, rows);
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static sqlite3 *open_file(const char *path)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	sqlite3_exec(db, "BEGIN; SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
	return db;
}

/* What SQLite says of the rows that are visited. */
struct oracle {
	sqlite3_stmt *stmt;
	bool keyed;
	int rows;
};

static int compare_row(void *context, struct page_row *row)
{
	struct oracle *oracle = context;
	int64_t integer, keys[2];
	double real;
	int at = 0;

	assert_int_equal(sqlite3_step(oracle->stmt), SQLITE_ROW);
	if (oracle->keyed) {
		assert_true(page_row_integers(row, keys, 2));
		assert_true(keys[0] == sqlite3_column_int64(oracle->stmt, at++));
		assert_true(keys[1] == sqlite3_column_int64(oracle->stmt, at++));
	} else {
		assert_true(page_row_null(row));
		assert_true(row->id == sqlite3_column_int64(oracle->stmt, at++));
	}
	assert_true(page_row_integer(row, &integer));
	assert_true(integer == sqlite3_column_int64(oracle->stmt, at++));
	assert_true(page_row_double(row, &real));
	assert_true(real == sqlite3_column_double(oracle->stmt, at));
	assert_true(page_row_end(row));
	oracle->rows++;
	return 0;
}

static int compare_table(sqlite3 *db, bool keyed)
{
	struct oracle oracle = { .keyed = keyed };
	const char *sql = keyed ? "SELECT k, l, a, b FROM keyed ORDER BY k, l"
				: "SELECT id, a, b FROM plain ORDER BY id";

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &oracle.stmt, NULL), SQLITE_OK);
	assert_int_equal(pages_each(db, keyed ? "keyed" : "plain", keyed ? "k,l,a,b" : "id,a,b",
				    compare_row, &oracle),
			 0);
	assert_int_equal(sqlite3_step(oracle.stmt), SQLITE_DONE);
	sqlite3_finalize(oracle.stmt);
	return oracle.rows;
}

static void rows_are_those_of_sqlite(void **state)
{
	static const int page_bytes[] = { 512, 4096, 65536 };
	static const int counts[] = { 0, 1, 5, 4000 };
	const struct folder *folder = *state;

	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 4; j++) {
			sqlite3 *db;

			write_file(folder->path, page_bytes[i], counts[j]);
			db = open_file(folder->path);
			assert_int_equal(compare_table(db, false), counts[j]);
			assert_int_equal(compare_table(db, true), counts[j]);
			sqlite3_close(db);
		}
	}
}

static int count_row(void *context, struct page_row *row)
{
	(*(int *)context)++;
	return 0;
}

static int stop_at_third(void *context, struct page_row *row)
{
	return ++*(int *)context == 3 ? 42 : 0;
}

static void visitors_may_stop(void **state)
{
	const struct folder *folder = *state;
	sqlite3 *db;
	int rows = 0;

	write_file(folder->path, 512, 500);
	db = open_file(folder->path);
	assert_int_equal(pages_each(db, "keyed", "k,l,a,b", stop_at_third, &rows), 42);
	assert_int_equal(rows, 3);
	sqlite3_close(db);
}

static void assert_odd(const char *path, const char *name, const char *columns)
{
	sqlite3 *db = open_file(path);
	int rows = 0;

	assert_int_equal(pages_each(db, name, columns, count_row, &rows), PAGES_ODD);
	sqlite3_close(db);
}

static void other_tables_are_odd(void **state)
{
	const struct folder *folder = *state;

	write_file(folder->path, 4096, 10);
	assert_odd(folder->path, "nosuch", "id,a,b");
	assert_odd(folder->path, "plain", "id,b,a");
	assert_odd(folder->path, "plain", "id,a");
	assert_odd(folder->path, "plain", "id,a,b,more");
	/* Keys stand first in such a table, wherever they were named. */
	fixture_sql(folder->path, "CREATE TABLE turned(a INTEGER, k INTEGER PRIMARY KEY) STRICT, "
				  "WITHOUT ROWID");
	assert_odd(folder->path, "turned", "a,k");
	fixture_sql(folder->path, "CREATE VIEW seen AS SELECT id, a, b FROM plain");
	assert_odd(folder->path, "seen", "id,a,b");
	/* The schema itself is read, but not as a table. */
	assert_odd(folder->path, "sqlite_schema", "type,name,tbl_name,rootpage,sql");
	fixture_sql(folder->path, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage "
				  "= 1 WHERE name = 'plain'");
	assert_odd(folder->path, "plain", "id,a,b");
}

/* ---- rows that are not on one page ---- */

static int compare_long(void *context, struct page_row *row)
{
	sqlite3_stmt *stmt = context;
	struct datum datum;

	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	for (int at = 0; at < sqlite3_column_count(stmt); at++) {
		assert_true(page_row_datum(row, &datum));
		if (at == 0 && datum.type == SQLITE_NULL)
			continue; /* the rowid */
		assert_int_equal(datum.type, sqlite3_column_type(stmt, at));
		if (datum.type == SQLITE_INTEGER) {
			assert_true(datum.integer == sqlite3_column_int64(stmt, at));
			continue;
		}
		assert_int_equal(datum.size, sqlite3_column_bytes(stmt, at));
		assert_memory_equal(datum.bytes, sqlite3_column_blob(stmt, at), datum.size);
	}
	assert_true(page_row_end(row));
	return 0;
}

/* Lengths around what a page holds, and a file that is larger than what is kept of it. */
static void long_rows(void **state)
{
	static const struct {
		const char *table, *columns, *sql;
	} tables[] = {
		{ "long", "id,a,b", "SELECT id, a, b FROM long ORDER BY id" },
		{ "keyed", "a,id,b", "SELECT a, id, b FROM keyed ORDER BY a, id" },
	};
	const struct folder *folder = *state;
	sqlite3 *db;

	fixture_sql(
		folder->path,
		"CREATE TABLE long(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);"
		"CREATE TABLE keyed(a TEXT, id INTEGER, b BLOB, PRIMARY KEY(a, id)) WITHOUT ROWID;"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
		"INSERT INTO long SELECT i, substr(hex(randomblob(i * 4)), 1, i * 7), i * i FROM n;"
		"INSERT INTO keyed SELECT a, b, x'0001' FROM long");
	db = open_file(folder->path);
	for (int i = 0; i < 2; i++) {
		sqlite3_stmt *stmt;

		assert_int_equal(sqlite3_prepare_v2(db, tables[i].sql, -1, &stmt, NULL), SQLITE_OK);
		assert_int_equal(
			pages_each(db, tables[i].table, tables[i].columns, compare_long, stmt), 0);
		assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
		sqlite3_finalize(stmt);
	}
	sqlite3_close(db);
}

/* ---- some rows of a table ---- */

/* The ids that are expected next, and where they end. */
struct range {
	int64_t next, end, step;
};

static int in_range(void *context, struct page_row *row)
{
	struct range *range = context;

	assert_true(row->id == range->next && range->next < range->end);
	range->next += range->step;
	return 0;
}

static void ranges_of_ids(void **state)
{
	const struct folder *folder = *state;
	uint64_t random = 3;
	struct pages *pages;
	sqlite3 *db;

	fixture_sql(
		folder->path,
		"PRAGMA page_size = 512; CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 3 FROM n WHERE i < 9000) "
		"INSERT INTO t SELECT i, hex(zeroblob(i % 90)) FROM n");
	db = open_file(folder->path);
	pages = pages_open(db);
	assert_non_null(pages);
	for (int i = 0; i < 200; i++) {
		int64_t first = (int64_t)(fixture_random(&random) % 9100);
		int64_t end = first + 1 + (int64_t)(fixture_random(&random) % 500);
		struct range range = { (first + 2) / 3 * 3, end < 9001 ? end : 9001, 3 };
		const struct page_rows rows = { "t", "id,a", first, end };

		assert_int_equal(pages_visit(pages, &rows, in_range, &range), 0);
		assert_true(range.next >= range.end);
		if (i % 10 == 0)
			pages_forget(pages);
	}
	pages_close(pages);
	pages_close(NULL);
	pages_forget(NULL);
	sqlite3_close(db);
}

/* Texts in another encoding are left to SQLite. */
static void other_encodings(void **state)
{
	const struct folder *folder = *state;
	sqlite3 *db;

	fixture_sql(folder->path, "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(id INTEGER PRIMARY "
				  "KEY, a TEXT); INSERT INTO t VALUES(1, 'a')");
	db = open_file(folder->path);
	assert_null(pages_open(db));
	sqlite3_close(db);
	assert_odd(folder->path, "t", "id,a");
}

static int other_types(void *context, struct page_row *row)
{
	int64_t integer;
	uint64_t number;
	double real;

	assert_true(page_row_null(row));
	assert_false(page_row_integer(row, &integer));	 /* a text */
	assert_false(page_row_integer(row, &integer));	 /* NULL */
	assert_false(page_row_double(row, &real));	 /* a blob */
	assert_false(page_row_double(row, &real));	 /* infinity */
	assert_false(page_row_null(row));		 /* 7 */
	assert_false(page_row_at_most(row, 8, &number)); /* 9 */
	assert_true(page_row_at_most(row, 9, &number));	 /* 9 */
	assert_int_equal(number, 9);
	assert_false(page_row_end(row));
	assert_false(page_row_at_most(row, INT64_MAX, &number)); /* -1 */
	assert_true(page_row_end(row));
	assert_false(page_row_integer(row, &integer)); /* nothing */
	assert_false(page_row_end(row));
	(*(int *)context)++;
	return 0;
}

static int other_types_at_once(void *context, struct page_row *row)
{
	int64_t integers[3];

	assert_true(page_row_null(row));
	assert_true(page_row_integers(row, integers, 1)); /* 3 */
	assert_int_equal(integers[0], 3);
	assert_false(page_row_integers(row, integers, 3)); /* 4 and a text */
	assert_int_equal(integers[0], 4);
	assert_false(page_row_integers(row, integers, 2)); /* -1 and nothing */
	assert_int_equal(integers[0], -1);
	assert_false(page_row_end(row));
	(*(int *)context)++;
	return 0;
}

static void several_columns_of_other_types(void **state)
{
	const struct folder *folder = *state;
	sqlite3 *db;
	int rows = 0;

	fixture_sql(folder->path, "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c, d); "
				  "INSERT INTO t VALUES(5, 3, 4, 'text', -1)");
	db = open_file(folder->path);
	assert_int_equal(pages_each(db, "t", "id,a,b,c,d", other_types_at_once, &rows), 0);
	assert_int_equal(rows, 1);
	sqlite3_close(db);
}

static void columns_of_other_types(void **state)
{
	const struct folder *folder = *state;
	sqlite3 *db;
	int rows = 0;

	fixture_sql(folder->path, "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c, d, e, f, g, h); "
				  "INSERT INTO t VALUES(5, 'text', NULL, x'0102', 9e999, 7, 9, 9, "
				  "-1)");
	db = open_file(folder->path);
	assert_int_equal(pages_each(db, "t", "id,a,b,c,d,e,f,g,h", other_types, &rows), 0);
	assert_int_equal(rows, 1);
	sqlite3_close(db);
}

static int read_all(void *context, struct page_row *row)
{
	int64_t integer, integers[2];
	struct datum datum;
	double real;

	page_row_integer(row, &integer);
	page_row_double(row, &real);
	page_row_null(row);
	page_row_datum(row, &datum);
	page_row_integers(row, integers, 2);
	(*(int *)context)++;
	return 0;
}

/* Whatever the bytes are, reading ends, and within them. */
static void damaged_pages(void **state)
{
	const struct folder *folder = *state;
	uint64_t random = 11;
	struct stat status;
	int rows = 0;

	write_file(folder->path, 512, 300);
	for (int round = 0; round < 400; round++) {
		sqlite3 *db;
		int fd = open(folder->path, O_RDWR);
		uint8_t byte, damage = (uint8_t)fixture_random(&random);
		off_t at;

		assert_int_equal(fstat(fd, &status), 0);
		/* After the schema: SQLite would refuse to open the file. */
		at = 1024 + (off_t)(fixture_random(&random) % (uint64_t)(status.st_size - 1024));
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		assert_int_equal(pwrite(fd, &damage, 1, at), 1);
		close(fd);
		db = open_file(folder->path);
		pages_each(db, "plain", "id,a,b", read_all, &rows);
		pages_each(db, "keyed", "k,l,a,b", read_all, &rows);
		sqlite3_close(db);
	}
	assert_true(rows > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_are_those_of_sqlite, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(visitors_may_stop, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(other_tables_are_odd, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(long_rows, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(ranges_of_ids, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(other_encodings, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(columns_of_other_types, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(several_columns_of_other_types, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(damaged_pages, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
