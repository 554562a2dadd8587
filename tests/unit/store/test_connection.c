/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are no profiles, or mean harm: one clear line each, and nothing of theirs runs. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/fixture.h"

/* The file is refused with this error and these words in the sentence, which names it. */
static void refused(const char *path, int rc, const char *words)
{
	struct store_reader *reader;
	struct err err = { "" };
	int got = store_open(path, &reader, &err);

	if (got == 0)
		fail_msg("%s was opened; expected: %s", path, words);
	if (got != rc || !strstr(err.text, words) || !strstr(err.text, path) ||
	    strchr(err.text, '\n'))
		fail_msg("%d: %s; expected %d: %s", got, err.text, rc, words);
}

/* Opening or loading fails with these words: damage that shows only in the rows. */
static void damaged(const char *path, const char *words)
{
	struct store_reader *reader = NULL;
	struct profile *profile = NULL;
	struct totals totals = { 0 };
	struct err err = { "" };
	uint64_t count = 0;
	int rc = store_open(path, &reader, &err);

	if (rc == 0)
		rc = store_load_profile(reader, &profile, &err);
	if (rc == 0)
		rc = store_load_totals(reader, &totals, &err);
	if (rc == 0)
		rc = fixture_each_sample(reader, 0, UINT64_MAX, fixture_count, &count, &err);
	if (rc != -EBADMSG || !strstr(err.text, words) || !strstr(err.text, path))
		fail_msg("%d: %s; expected: %s", rc, err.text, words);
	vec_free(&totals.rows);
	profile_free(profile);
	store_close(reader);
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void what_is_no_profile(void **state)
{
	const struct folder *folder = *state;
	char fifo[128];

	refused("/no/such/file", -ENOENT, "No such file or directory");
	refused(folder->name, -EISDIR, "it is a folder, not a profile");
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder->name);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	refused(fifo, -EINVAL, "not a regular file");
	write_bytes(folder->path, "", 0);
	refused(folder->path, -EINVAL, "is empty, not a profile");
	assert_int_equal(store_is_profile(folder->path), 0);
	write_bytes(folder->path, "\177ELF", 4);
	refused(folder->path, -EINVAL, "is not a prospect profile");
	assert_int_equal(store_is_profile(folder->path), 0);
	assert_int_equal(store_is_profile(folder->name), 0);
	assert_int_equal(store_is_profile(fifo), 0);
	assert_int_equal(store_is_profile("/no/such/file"), -ENOENT);
}

static void a_foreign_database(void **state)
{
	const struct folder *folder = *state;

	fixture_sql(folder->path, "CREATE TABLE header(name, value)");
	refused(folder->path, -EINVAL, "is an SQLite database, but not a prospect profile");
	assert_int_equal(store_is_profile(folder->path), 0);
	fixture_sql(folder->path, "PRAGMA application_id = 0x50525350; PRAGMA user_version = 1");
	refused(folder->path, -EBADMSG, "missing column");
	assert_int_equal(store_is_profile(folder->path), 1);
}

static void versions(void **state)
{
	const struct folder *folder = *state;

	fixture_write(folder->path, 10);
	fixture_sql(folder->path, "PRAGMA user_version = 2");
	refused(folder->path, -ENOTSUP,
		"has profile version 2, but this prospect reads versions up to 1");
	assert_int_equal(store_is_profile(folder->path), 1);
	fixture_sql(folder->path, "PRAGMA user_version = 0");
	refused(folder->path, -EBADMSG, "damaged");
	fixture_sql(folder->path, "PRAGMA user_version = 1");
	assert_int_equal(fixture_layers_agree(folder->path), 10);
}

/* Opening such a file would leave files beside it. */
static void a_write_ahead_log(void **state)
{
	const struct folder *folder = *state;
	char log[128];

	fixture_write(folder->path, 10);
	fixture_sql(folder->path, "PRAGMA journal_mode = WAL");
	refused(folder->path, -EBADMSG, "damaged");
	snprintf(log, sizeof(log), "%s-wal", folder->path);
	assert_int_equal(access(log, F_OK), -1);
}

static void truncated(void **state)
{
	const struct folder *folder = *state;
	struct stat status;

	fixture_write(folder->path, 3000);
	assert_int_equal(stat(folder->path, &status), 0);
	assert_int_equal(truncate(folder->path, status.st_size - 1), 0);
	refused(folder->path, -EBADMSG, "is truncated");
	assert_int_equal(truncate(folder->path, 4096), 0);
	refused(folder->path, -EBADMSG, "is truncated to 4096 of");
	assert_int_equal(truncate(folder->path, 50), 0);
	refused(folder->path, -EBADMSG, "is truncated to 50 bytes");
}

/* Runs in a child without privileges. */
static int try_unreadable(const char *path)
{
	struct store_reader *reader;
	struct err err;
	int rc;

	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 10;
	rc = store_open(path, &reader, &err);
	if (rc != -EACCES || !strstr(err.text, "Permission denied"))
		return 1;
	return store_is_profile(path) == -EACCES ? 0 : 2;
}

static void unreadable(void **state)
{
	const struct folder *folder = *state;
	int status;
	pid_t pid;

	if (geteuid() != 0) {
		print_message("needs root, to become somebody else\n");
		skip();
	}
	fixture_write(folder->path, 10);
	assert_int_equal(chmod(folder->name, 0755), 0);
	pid = fork();
	if (pid == 0)
		_exit(try_unreadable(folder->path));
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

struct harm {
	const char *sql;   /* what a hostile writer does to a good profile */
	const char *words; /* of the refusal */
};

static void harms_are_refused(const struct folder *folder, const struct harm *harms, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fixture_write(folder->path, 250);
		fixture_sql(folder->path, harms[i].sql);
		damaged(folder->path, harms[i].words);
		unlink(folder->path);
	}
}

#define HARMS(folder, harms) harms_are_refused(folder, harms, sizeof(harms) / sizeof((harms)[0]))

static void tables_that_are_not(void **state)
{
	static const struct harm harms[] = {
		{ "DROP TABLE second", "missing column second in table second" },
		{ "DROP TABLE stack", "missing column up in table stack" },
		{ "ALTER TABLE image RENAME COLUMN path TO paths",
		  "missing column path in table image" },
		{ "ALTER TABLE task RENAME TO t; CREATE VIEW task AS SELECT * FROM t",
		  "missing column process in table task" },
		{ "DROP TABLE loss; CREATE TABLE loss(event, reason AS (hex(zeroblob(9))), count, "
		  "weight)",
		  "missing column reason in table loss" },
		{ "DROP TABLE layer; CREATE VIRTUAL TABLE layer USING fts5(id, samples, "
		  "last_block)",
		  "in table layer" },
	};

	HARMS(*state, harms);
}

static void rows_that_lie(void **state)
{
	static const struct harm harms[] = {
		{ "DELETE FROM image WHERE id = 1", "wrong number of rows in table image" },
		{ "DELETE FROM stack WHERE id = 0", "wrong number of rows in table stack" },
		{ "UPDATE task SET process = 99",
		  "process in row 0 of table task refers to a missing" },
		{ "UPDATE process SET parent = 3 WHERE id = 1", "refers to a missing row" },
		{ "UPDATE process SET parent = 2 WHERE id = 1", "is its own ancestor" },
		{ "UPDATE process SET parent = 1 WHERE id = 1", "is its own ancestor" },
		{ "UPDATE process SET pid = 1 << 31 WHERE id = 1", "invalid pid in row 1" },
		{ "UPDATE process SET uid = -1 WHERE id = 1", "invalid uid in row 1" },
		{ "UPDATE process SET cgroup = 999 WHERE id = 1", "cgroup in row 1 of table" },
		{ "DELETE FROM text WHERE text = '/user.slice'", "cgroup in row 2 of table" },
		{ "DELETE FROM text WHERE text = 'box'", "container in row 2 of table" },
		{ "UPDATE text SET id = -1 WHERE text = 'box'", "invalid row in table text" },
		{ "UPDATE process SET in_command = 2 WHERE id = 1", "invalid in_command in row 1" },
		{ "UPDATE frame SET symbol = 1000 WHERE id = 3", "symbol in row 3 of table" },
		{ "UPDATE frame SET kind = 9 WHERE id = 3",
		  "invalid kind in row 3 of table frame" },
		{ "UPDATE frame SET kind = -1 WHERE id = 3",
		  "invalid kind in row 3 of table frame" },
		{ "UPDATE symbol SET image = 4 WHERE id = 3", "image in row 3 of table" },
		{ "UPDATE stack SET frame = 41 WHERE id = 3", "frame in row 3 of table" },
		{ "UPDATE stack SET up = 0 WHERE id = 3", "up in row 3 of table" },
		{ "UPDATE stack SET up = 4 WHERE id = 3", "up in row 3 of table" },
		{ "UPDATE stack SET up = -1 WHERE id = 3", "up in row 3 of table" },
		{ "UPDATE image SET kind = 'odd' WHERE id = 1",
		  "invalid kind in row 1 of table image" },
		{ "UPDATE image SET build_id = zeroblob(21) WHERE id = 1",
		  "invalid build_id in row 1" },
		{ "UPDATE event SET clock = 'TIMER' WHERE id = 0", "invalid clock in row 0" },
		{ "UPDATE event SET rate_hz = 9e999 WHERE id = 0", "invalid rate_hz in row 0" },
		{ "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
		  "INSERT INTO event SELECT i, '', '', 'timer', 0, 0, 0, 0, 0, 0 FROM n",
		  "wrong number of rows in table event" },
		{ "UPDATE loss SET reason = 'nothing' WHERE event = 0",
		  "unknown loss reason 'nothing'" },
		{ "UPDATE loss SET event = 2 WHERE event = 1", "table loss" },
		{ "UPDATE header SET value = 'many' WHERE name = 'cpus'",
		  "invalid value of cpus in table header" },
		{ "UPDATE header SET value = 1 WHERE name = 'command'",
		  "invalid value of command in table header" },
		{ "DELETE FROM word", "in row" },
		{ "UPDATE word SET id = 99 WHERE list = 'mode' AND id = 0", "damaged" },
	};

	HARMS(*state, harms);
}

/* What makes sense and is not what was written. */
static void rows_that_changed(void **state)
{
	static const struct harm harms[] = {
		{ "UPDATE event SET rate_hz = rate_hz + 1", "checksum mismatch in table event" },
		{ "UPDATE image SET path = path || 'x' WHERE id = 1",
		  "checksum mismatch in table image" },
		{ "UPDATE process SET uid = uid + 1 WHERE id = 2",
		  "checksum mismatch in table process" },
		{ "UPDATE task SET comm = 'other' WHERE id = 1",
		  "checksum mismatch in table task" },
		{ "UPDATE symbol SET name = 'other' WHERE id = 3",
		  "checksum mismatch in table symbol" },
		{ "UPDATE frame SET symbol = 1 WHERE id = 3", "checksum mismatch in table frame" },
		{ "UPDATE stack SET frame = 2 WHERE id = 3", "checksum mismatch in table stack" },
		{ "DELETE FROM stack WHERE id = (SELECT max(id) FROM stack)", "damaged" },
		{ "UPDATE text SET text = '/other.slice' WHERE text = '/user.slice'",
		  "checksum mismatch in table text" },
		{ "UPDATE loss SET count = count + 1", "checksum mismatch in table loss" },
		{ "UPDATE header SET value = value + 1 WHERE name = 'cpus'",
		  "checksum mismatch in table header" },
	};

	HARMS(*state, harms);
}

static void samples_that_lie(void **state)
{
	static const struct harm harms[] = {
		{ "UPDATE layer SET samples = samples + 1",
		  "1 samples are missing from table total" },
		{ "UPDATE layer SET samples = samples - 1", "invalid row in table" },
		{ "UPDATE layer SET samples = samples + 1 WHERE id = 2", "table layer" },
		{ "UPDATE layer SET id = 3 WHERE id = 2", "table layer" },
		{ "UPDATE layer SET samples = samples + 1 WHERE id = 1",
		  "missing from table block" },
		{ "UPDATE total SET samples = 0", "table total" },
		{ "UPDATE total SET samples = -1", "table total" },
		{ "UPDATE total SET samples = 1 << 62", "table total" },
		{ "UPDATE total SET task = 3 WHERE task = 2", "refers to a missing row" },
		{ "UPDATE total SET stack = 41 WHERE stack = 40", "refers to a missing row" },
		{ "UPDATE total SET event = 2 WHERE event = 1", "refers to a missing row" },
		{ "UPDATE total SET context = 3 WHERE context = 2", "refers to a missing row" },
		{ "UPDATE total SET mode = 256 WHERE mode = 1", "table total" },
		{ "UPDATE total SET weight_squared = -1", "table total" },
		{ "UPDATE block SET samples = samples + 1", "cannot decompress block" },
		{ "UPDATE block SET data = zeroblob(100)", "checksum mismatch in block" },
		{ "UPDATE block SET data = x''", "checksum mismatch in block" },
		{ "UPDATE block SET data = zeroblob(100); DELETE FROM checksum",
		  "cannot decompress block" },
		{ "UPDATE block SET data = x''; DROP TABLE checksum", "cannot decompress block" },
		{ "UPDATE block SET id = -id", "missing from table block" },
		{ "INSERT INTO block SELECT id + 100, samples, data FROM block",
		  "more samples than table layer says" },
		{ "DELETE FROM block", "missing from table block" },
	};

	HARMS(*state, harms);
}

/* A trigger, view, index or table more does not matter, and is not run. */
static void additions_are_left_alone(void **state)
{
	const struct folder *folder = *state;

	fixture_write(folder->path, 250);
	fixture_sql(folder->path,
		    "CREATE TABLE trap(n); CREATE VIEW v AS SELECT randomblob(1 << 30);"
		    "CREATE INDEX i ON symbol(name);"
		    "CREATE TRIGGER t BEFORE DELETE ON total BEGIN INSERT INTO trap VALUES(1); END;"
		    "CREATE TRIGGER u AFTER INSERT ON total BEGIN INSERT INTO trap VALUES(2); END;"
		    "INSERT INTO header VALUES('unheard_of', 5);"
		    "INSERT INTO word VALUES('unheard_of', 50, 'x');"
		    "ALTER TABLE image ADD COLUMN owner TEXT;"
		    "UPDATE layer SET samples = 0 WHERE id = 2"); /* the sums are written anew */
	assert_int_equal(fixture_layers_agree(folder->path), 250);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT samples FROM layer WHERE id = 2"),
			 250);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT count(*) FROM trap"), 0);
}

/* Numbers in a file mean what its table word says, not what they mean here. */
static void words_are_the_files_own(void **state)
{
	const struct folder *folder = *state;
	struct store_reader *reader;
	struct profile *profile;
	struct totals totals;
	struct err err;
	uint64_t user = 0, expected = 0;

	for (uint64_t i = 0; i < 250; i++)
		expected += fixture_sample(i).mode == MODE_USER;
	fixture_write(folder->path, 250);
	fixture_sql(folder->path, "UPDATE total SET mode = mode + 10;"
				  "UPDATE word SET id = id + 10 WHERE list = 'mode'");
	reader = fixture_open(folder->path);
	profile = fixture_load(reader);
	assert_int_equal(store_load_totals(reader, &totals, &err), 0);
	for (size_t i = 0; i < totals.rows.count; i++)
		user += totals.rows.items[i].mode == MODE_USER ? totals.rows.items[i].samples : 0;
	assert_int_equal(user, expected);
	vec_free(&totals.rows);
	profile_free(profile);
	store_close(reader);
}

/* Deeper than anything that was ever run, from a file of a few hundred KB. */
static void a_bottomless_stack(void **state)
{
	const struct folder *folder = *state;

	fixture_write(folder->path, 10);
	fixture_sql(folder->path,
		    "WITH RECURSIVE n(i) AS (SELECT 41 UNION ALL SELECT i + 1 FROM n WHERE "
		    "i < 70000) INSERT INTO stack(id, up, frame) SELECT i, 1, 1 FROM n");
	damaged(folder->path, "is too deep");
}

enum {
	PAGE = 4096,
	LEVELS = 17, /* SQLite follows 20 */
};

static void put_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* An inner page of a table (sqlite3 fileformat2, section 1.6) with @child three times below it. */
static void make_inner_page(uint8_t page[PAGE], uint32_t child)
{
	memset(page, 0, PAGE);
	page[0] = 5;	/* an inner page of a table */
	page[4] = 2;	/* cells: a child and a key of one byte each */
	page[5] = 0x0f; /* where they begin: 0x0ff6 */
	page[6] = 0xf6;
	put_u32(page + 8, child);
	for (int i = 0; i < 2; i++) {
		page[12 + 2 * i] = 0x0f;
		page[13 + 2 * i] = (uint8_t)(0xf6 + 5 * i);
		put_u32(page + 0xff6 + 5 * i, child);
		page[0xff6 + 5 * i + 4] = 1;
	}
}

/* Three ways down from each page, level by level: 3^17 times the same two rows, in 70 KB. */
static void rows_without_end(void **state)
{
	const struct folder *folder = *state;
	uint8_t page[PAGE], bytes[4];
	uint32_t root, pages;
	int fd;

	fixture_write(folder->path, 10);
	root = (uint32_t)fixture_sql_number(folder->path, "SELECT rootpage FROM sqlite_schema "
							  "WHERE name = 'layer'");
	pages = (uint32_t)fixture_sql_number(folder->path, "PRAGMA page_count");
	fd = open(folder->path, O_RDWR);
	/* The leaf moves to after the end, inner pages follow it, and the root becomes one. */
	assert_int_equal(pread(fd, page, PAGE, (root - 1) * (off_t)PAGE), PAGE);
	assert_int_equal(pwrite(fd, page, PAGE, pages * (off_t)PAGE), PAGE);
	for (uint32_t i = 1; i < LEVELS; i++) {
		make_inner_page(page, pages + i);
		assert_int_equal(pwrite(fd, page, PAGE, (pages + i) * (off_t)PAGE), PAGE);
	}
	make_inner_page(page, pages + LEVELS);
	assert_int_equal(pwrite(fd, page, PAGE, (root - 1) * (off_t)PAGE), PAGE);
	put_u32(bytes, pages + LEVELS);
	assert_int_equal(pwrite(fd, bytes, 4, 28), 4);
	close(fd);
	damaged(folder->path, "the file is damaged");
}

static void removing(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	char journal[128];
	struct err err;

	assert_int_equal(store_remove(folder->path, &err), -EBUSY);
	assert_non_null(strstr(err.text, "is being recorded"));
	assert_int_equal(access(folder->path, F_OK), 0);
	store_writer_free(writer);
	profile_free(profile);
	snprintf(journal, sizeof(journal), "%s-journal", folder->path);
	write_bytes(journal, "x", 1);
	assert_int_equal(store_remove(folder->path, &err), 0);
	assert_int_equal(access(folder->path, F_OK), -1);
	assert_int_equal(access(journal, F_OK), -1);
	assert_int_equal(store_remove(folder->path, &err), -ENOENT);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_no_profile),
		TEST(a_foreign_database),
		TEST(versions),
		TEST(a_write_ahead_log),
		TEST(truncated),
		TEST(unreadable),
		TEST(tables_that_are_not),
		TEST(rows_that_lie),
		TEST(rows_that_changed),
		TEST(samples_that_lie),
		TEST(additions_are_left_alone),
		TEST(words_are_the_files_own),
		TEST(a_bottomless_stack),
		TEST(rows_without_end),
		TEST(removing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
