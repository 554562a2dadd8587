/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file says of its rows, and what it does not. */
#include "store/written.h"

#include <errno.h>

#include "store/checksums.h"
#include "store/fixture.h"

static struct written read_file(const struct folder *folder, int expected)
{
	struct table_source source;
	struct written written;
	struct err why = { "" };

	assert_int_equal(sqlite3_open(folder->path, &source.db), SQLITE_OK);
	source.pages = pages_open(source.db);
	assert_int_equal(written_read(&source, &written, &why), expected);
	assert_true(!expected || strstr(why.text, "table checksum"));
	pages_close(source.pages);
	sqlite3_close(source.db);
	return written;
}

static void rows_and_blocks(void **state)
{
	const struct folder *folder = *state;
	const struct datum mark[] = { { .type = SQLITE_INTEGER, .integer = 0 },
				      { .type = SQLITE_INTEGER, .integer = 5 },
				      { .type = SQLITE_TEXT, .size = 2, .bytes = "ab" } };
	struct datum header[] = { { .type = SQLITE_TEXT, .size = 3, .bytes = "abc" },
				  { .type = SQLITE_INTEGER, .integer = 1 } };
	struct read_rows rows = { .parts = { 0 } };
	struct written written;

	fixture_write(folder->path, 10);
	/* The CRC-32 of: 1, the number 0; 1, the number 5; 3, the number 2, "ab". */
	fixture_sql(folder->path, "DELETE FROM checksum; INSERT INTO checksum "
				  "VALUES('mark', 0, 1, 1911768656), ('block', 7, 1, 0)");
	read_rows_add(&rows, 0, mark, 3);
	written = read_file(folder, 0);
	assert_true(read_rows_compare(&rows, &written, "mark"));
	assert_false(written_has_block(&written, 7, "abc", 3));
	assert_true(written_has_block(&written, 7, "", 0));
	assert_true(written_has_block(&written, 8, "abc", 3));
	assert_true(written_has_row(&written, "header", header));
	/* One row more, and none. */
	read_rows_add(&rows, 1, mark, 3);
	assert_false(read_rows_compare(&rows, &written, "mark"));
	read_rows_done(&rows);
	assert_false(read_rows_compare(&rows, &written, "mark"));
	written_done(&written);
	read_rows_done(&rows);
}

static void keys(void **state)
{
	const struct folder *folder = *state;
	struct datum header[] = { { .type = SQLITE_TEXT, .size = 4, .bytes = "cpus" },
				  { .type = SQLITE_INTEGER, .integer = FIXTURE_CPUS } };
	struct written written;

	fixture_write(folder->path, 10);
	header[1].integer =
		fixture_sql_number(folder->path, "SELECT value FROM header WHERE name = 'cpus'");
	written = read_file(folder, 0);
	assert_true(written_has_row(&written, "header", header));
	header[1].integer++;
	assert_false(written_has_row(&written, "header", header));
	header[0].bytes = "cats"; /* of which it says nothing */
	assert_true(written_has_row(&written, "header", header));
	written_done(&written);
}

static void files_that_lie_or_say_nothing(void **state)
{
	const struct folder *folder = *state;
	struct written written;

	fixture_write(folder->path, 10);
	fixture_sql(folder->path, "UPDATE checksum SET crc = -1 WHERE name = 'block'");
	written = read_file(folder, -EBADMSG);
	written_done(&written);
	fixture_sql(folder->path, "DROP TABLE checksum");
	written = read_file(folder, 0);
	assert_true(written_has_block(&written, 0, "abc", 3));
	written_done(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_and_blocks, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(keys, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(files_that_lie_or_say_nothing, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
