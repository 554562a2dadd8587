/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every row has its checksum, whatever wrote it; a block that is not as written is not believed. */
#include "store/checksums.h"

#include <errno.h>

#include "store/fixture.h"
#include "store/sql.h"

static int64_t number(sqlite3 *db, const char *sql)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;

	if (sql_prepare(db, sql, &stmt) || sql_step(stmt) <= 0)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	return sqlite3_column_int64(stmt, 0);
}

/* What the table says of a part; false: nothing. */
static bool stored(sqlite3 *db, const char *table, uint64_t part, uint64_t *ret_rows,
		   uint64_t *ret_crc)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;

	assert_int_equal(sql_prepare(db,
				     "SELECT rows, crc FROM checksum WHERE name = ?1 AND "
				     "part = ?2",
				     &stmt),
			 0);
	sql_bind_text(stmt, 1, table);
	sql_bind_u64(stmt, 2, part);
	return sql_step(stmt) > 0 && sql_column_u64(stmt, 0, ret_rows) &&
	       sql_column_u64(stmt, 1, ret_crc);
}

static void check_rows(sqlite3 *db, const char *table)
{
	char sql[100];
	int64_t parts;

	snprintf(sql, sizeof(sql), "SELECT max(id) / 64 + 1 FROM %s", table);
	parts = number(db, sql);
	assert_true(parts > 0);
	for (uint64_t part = 0; part < (uint64_t)parts; part++) {
		uint64_t rows, stored_rows, stored_crc;
		uint32_t crc;

		assert_int_equal(checksums_of_part(db, table, part, &rows, &crc), 0);
		if (rows == 0)
			continue;
		if (!stored(db, table, part, &stored_rows, &stored_crc))
			fail_msg("part %d of %s has no checksum", (int)part, table);
		assert_int_equal(rows, stored_rows);
		assert_int_equal(crc, stored_crc);
	}
}

static void check_keys(sqlite3 *db, const struct checked_keys *checked)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	char sql[200];

	snprintf(sql, sizeof(sql), "SELECT %s FROM %s", checked->columns, checked->table);
	assert_int_equal(sql_prepare(db, sql, &stmt), 0);
	while (sql_step(stmt) > 0) {
		uint64_t rows, crc;

		assert_true(stored(db, checked->table, checksums_of_row(0, stmt, checked->keys),
				   &rows, &crc));
		assert_int_equal(crc, checksums_of_row(0, stmt, sqlite3_column_count(stmt)));
	}
}

static void everything_has_its_checksum(void **state)
{
	const struct folder *folder = *state;
	_cleanup_database_ sqlite3 *db = NULL;

	fixture_write(folder->path, 3000);
	assert_int_equal(sqlite3_open_v2(folder->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(checksums_there(db), 1);
	for (size_t i = 0; i < checksums_row_tables; i++)
		check_rows(db, checksums_rows[i].table);
	for (size_t i = 0; i < checksums_key_tables; i++)
		check_keys(db, &checksums_keys[i]);
	assert_int_equal(number(db, "SELECT sum(rows) FROM checksum WHERE name = 'block'"), 3000);
	assert_int_equal(number(db, "SELECT count(*) FROM block WHERE NOT EXISTS (SELECT 1 FROM "
				    "checksum WHERE name = 'block' AND part = block.id)"),
			 0);
}

/* Rows that are written again, in the middle of others, by a later flush. */
static void rows_that_change(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer;
	_cleanup_database_ sqlite3 *db = NULL;
	struct process row = { .pid = 9, .program = fixture_text(profile, "x"), .instance = 1 };

	for (int i = 0; i < 200; i++)
		profile_add_process(profile, &row);
	writer = fixture_create(folder->path, profile);
	fixture_flush(writer);
	profile->processes.items[70].end_ns = 77;
	profile->processes.items[70].dirty = true;
	fixture_flush(writer);
	profile->processes.items[199].program = fixture_text(profile, "y");
	profile->processes.items[199].dirty = true;
	profile_add_process(profile, &row);
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(sqlite3_open_v2(folder->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	for (size_t i = 0; i < checksums_row_tables; i++)
		check_rows(db, checksums_rows[i].table);
}

static int read_samples(const char *path, struct err *err)
{
	struct store_reader *reader = fixture_open(path);
	struct profile *profile = fixture_load(reader);
	uint64_t count = 0;
	int rc = fixture_each_sample(reader, 0, UINT64_MAX, fixture_count, &count, err);

	if (rc == 0)
		assert_int_equal(count, 900);
	profile_free(profile);
	store_close(reader);
	return rc;
}

/* One bit of a weight: only the checksum shows it. */
static void a_flipped_bit(void **state)
{
	const struct folder *folder = *state;
	struct err err;

	fixture_write(folder->path, 900);
	assert_int_equal(read_samples(folder->path, &err), 0);
	fixture_sql(folder->path, "UPDATE checksum SET crc = crc + 1 WHERE name = 'block' AND "
				  "part = (SELECT max(id) FROM block)");
	assert_int_equal(read_samples(folder->path, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "checksum mismatch in"));
	fixture_sql(folder->path, "DROP TABLE checksum");
	assert_int_equal(read_samples(folder->path, &err), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(everything_has_its_checksum),
		TEST(rows_that_change),
		TEST(a_flipped_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
