/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lies beside a stranger's profile does not make the reader remove files of their own. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/fixture.h"
#include "store/guard.h"

enum {
	SECTOR = 512,
	PAGE = 4096,
	LOCK_PAGE = 0x40000000 / PAGE + 1, /* what a super-journal's record says it is */
};

static const uint8_t magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };

static uint8_t *put_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		*at++ = (uint8_t)(value >> (24 - 8 * i));
	return at;
}

/* A journal (sqlite3 fileformat2, section 3) without pages that names @super. */
static size_t make_journal(uint8_t *bytes, uint32_t pages, const char *super)
{
	uint8_t *at = bytes + SECTOR;
	uint32_t sum = 0;

	memset(bytes, 0, SECTOR);
	memcpy(bytes, magic, sizeof(magic));
	put_u32(bytes + 16, pages);
	put_u32(bytes + 20, SECTOR);
	put_u32(bytes + 24, PAGE);
	at = put_u32(at, LOCK_PAGE);
	for (const char *name = super; *name; name++) {
		sum += (uint32_t)*name;
		*at++ = (uint8_t)*name;
	}
	at = put_u32(at, (uint32_t)strlen(super));
	at = put_u32(at, sum);
	memcpy(at, magic, sizeof(magic));
	return (size_t)(at - bytes) + sizeof(magic);
}

struct scene {
	const char *path;
	char journal[128], victim[128];
};

static void write_bytes(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

/* A good profile, a file of the reader's, and a journal that names it. */
static struct scene set_scene(const struct folder *folder)
{
	struct scene scene = { .path = folder->path };
	uint8_t bytes[1024];
	uint32_t pages;

	snprintf(scene.journal, sizeof(scene.journal), "%s-journal", folder->path);
	snprintf(scene.victim, sizeof(scene.victim), "%s/thesis", folder->name);
	fixture_write(scene.path, 10);
	pages = (uint32_t)fixture_sql_number(scene.path, "PRAGMA page_count");
	write_bytes(scene.victim, "my thesis", 9);
	write_bytes(scene.journal, bytes, make_journal(bytes, pages, scene.victim));
	return scene;
}

/* Reads through SQLite alone. */
static int read_with(const struct scene *scene, const char *vfs)
{
	sqlite3 *db;
	int code = sqlite3_open_v2(scene->path, &db, SQLITE_OPEN_READWRITE, vfs);

	if (code == SQLITE_OK)
		code = sqlite3_exec(db, "SELECT * FROM header", NULL, NULL, NULL);
	sqlite3_close(db);
	return code;
}

static void a_journal_that_names_a_file_is_refused(void **state)
{
	struct scene scene = set_scene(*state);
	struct store_reader *reader;
	struct err err;

	assert_int_equal(store_open(scene.path, &reader, &err), -EBADMSG);
	assert_non_null(strstr(err.text, scene.path));
	assert_non_null(strstr(err.text, "asks SQLite to delete another file"));
	assert_int_equal(access(scene.victim, F_OK), 0);
	assert_int_equal(access(scene.journal, F_OK), 0);
	assert_int_equal(unlink(scene.journal), 0);
	assert_int_equal(fixture_layers_agree(scene.path), 10);
}

/* One that came after the check. Without the guard SQLite does remove the file. */
static void the_guard_lets_nothing_else_be_removed(void **state)
{
	struct scene scene = set_scene(*state);
	struct guard *guard = guard_new(scene.path);

	read_with(&scene, guard_vfs(guard));
	assert_int_equal(access(scene.victim, F_OK), 0);
	guard_free(guard);
	unlink(scene.path);
	scene = set_scene(*state);
	assert_int_equal(read_with(&scene, NULL), SQLITE_OK);
	assert_int_equal(access(scene.victim, F_OK), -1);
}

static void a_log_beside_it_is_not_seen(void **state)
{
	const struct folder *folder = *state;
	char log[128];

	fixture_write(folder->path, 10);
	snprintf(log, sizeof(log), "%s-wal", folder->path);
	write_bytes(log, "log", 3);
	assert_int_equal(fixture_layers_agree(folder->path), 10);
	assert_int_equal(access(log, F_OK), 0);
}

static void a_journal_of_somebody_else_is_refused(void **state)
{
	struct scene scene = set_scene(*state);
	struct store_reader *reader;
	struct err err;

	assert_int_equal(unlink(scene.journal), 0);
	assert_int_equal(symlink(scene.victim, scene.journal), 0);
	assert_int_equal(store_open(scene.path, &reader, &err), -EPERM);
	assert_non_null(strstr(err.text, scene.journal));
	assert_int_equal(unlink(scene.journal), 0);
	if (geteuid() != 0) {
		print_message("needs root, to give a file away\n");
		skip();
	}
	write_bytes(scene.journal, magic, sizeof(magic) - 1);
	assert_int_equal(chown(scene.journal, 65534, 65534), 0);
	assert_int_equal(store_open(scene.path, &reader, &err), -EPERM);
	assert_non_null(strstr(err.text, "belongs to another user"));
	assert_int_equal(chown(scene.path, 65534, 65534), 0);
	assert_int_equal(fixture_layers_agree(scene.path), 10);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_journal_that_names_a_file_is_refused),
		TEST(the_guard_lets_nothing_else_be_removed),
		TEST(a_log_beside_it_is_not_seen),
		TEST(a_journal_of_somebody_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
