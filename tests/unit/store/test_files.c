/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of profiles: what is there already, what becomes of them meanwhile, and which
 * process has them open. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/fixture.h"

static void create_fails(const char *path, int rc, const char *words)
{
	struct profile *profile = fixture_profile();
	struct store_writer *writer;
	struct err err;

	assert_int_equal(store_create(path, profile, &writer, &err), rc);
	assert_non_null(strstr(err.text, words));
	profile_free(profile);
}

static void what_is_there_is_kept(void **state)
{
	const struct folder *folder = *state;
	char target[128];

	fixture_write(folder->path, 10);
	create_fails(folder->path, -EEXIST, "file exists");
	assert_int_equal(fixture_layers_agree(folder->path), 10);
	snprintf(target, sizeof(target), "%s/link", folder->name);
	assert_int_equal(symlink("/nowhere/else", target), 0);
	create_fails(target, -EEXIST, target);
	snprintf(target, sizeof(target), "%s/no/folder.prof", folder->name);
	create_fails(target, -ENOENT, target);
	create_fails(folder->name, -EEXIST, folder->name);
	create_fails("/tmp/", -EISDIR, "it is a folder");
}

/* Names that mean something to SQLite are names of files here. */
static void odd_names_are_files(void **state)
{
	static const char *const names[] = { ":memory:", "file:x?mode=memory", "a b'\"%?#\xff" };
	const struct folder *folder = *state;
	int home = open(".", O_RDONLY | O_DIRECTORY);

	assert_int_equal(chdir(folder->name), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fixture_write(names[i], 10);
		assert_int_equal(access(names[i], F_OK), 0);
		assert_int_equal(fixture_layers_agree(names[i]), 10);
	}
	assert_int_equal(fchdir(home), 0);
	close(home);
}

static void a_removed_file_is_reported(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct err err;

	assert_true(store_is_in_place(writer));
	assert_int_equal(unlink(folder->path), 0);
	assert_false(store_is_in_place(writer));
	assert_int_equal(store_flush(writer, &err), -ENOENT);
	assert_non_null(strstr(err.text, "the file was removed"));
	store_writer_free(writer);
	profile_free(profile);
}

static void a_moved_file_is_reported(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	char moved[128];
	struct err err;

	snprintf(moved, sizeof(moved), "%s/moved", folder->name);
	fixture_add(writer, 0, 10);
	fixture_flush(writer);
	assert_int_equal(rename(folder->path, moved), 0);
	assert_false(store_is_in_place(writer));
	close(open(folder->path, O_WRONLY | O_CREAT | O_EXCL, 0600));
	assert_false(store_is_in_place(writer)); /* another one in its place */
	fixture_add(writer, 10, 10);
	assert_int_equal(store_flush(writer, &err), -ENOENT);
	assert_non_null(strstr(err.text, "of its path was moved"));
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(fixture_layers_agree(moved), 10);
}

/* What SQLite makes of it names another cause, or the wrong file. */
static void what_is_in_the_journals_place_is_named(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	char journal[128];
	struct err err;

	snprintf(journal, sizeof(journal), "%s-journal", folder->path);
	assert_int_equal(symlink("/nonexistent", journal), 0);
	fixture_add(writer, 0, 10);
	assert_true(store_flush(writer, &err) < 0);
	assert_non_null(strstr(err.text, "a symbolic link blocks"));
	assert_non_null(strstr(err.text, journal));
	assert_int_equal(unlink(journal), 0);
	assert_int_equal(mkdir(journal, 0700), 0);
	assert_true(store_flush(writer, &err) < 0);
	assert_non_null(strstr(err.text, "a folder blocks"));
	assert_int_equal(rmdir(journal), 0);
	assert_int_equal(store_flush(writer, &err), 0);
	assert_true(store_is_in_place(writer));
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(fixture_layers_agree(folder->path), 10);
}

/* While it lasts, and no longer. To ask does no harm. */
static void a_recording_is_seen(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct store_reader *reader;

	assert_true(store_is_recording(folder->path));
	reader = fixture_open(folder->path);
	assert_true(store_is_live(reader));
	store_close(reader);
	store_writer_free(writer);
	profile_free(profile);
	assert_false(store_is_recording(folder->path));
	reader = fixture_open(folder->path);
	assert_false(store_is_live(reader));
	store_close(reader);
}

/* While a reader has it open, a flush fails without harm; afterwards it succeeds. */
static void a_reader_delays_a_flush(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct store_reader *reader;
	struct err err;

	fixture_add(writer, 0, 100);
	fixture_flush(writer);
	reader = fixture_open(folder->path);
	profile_free(fixture_load(reader));
	fixture_add(writer, 100, 100);
	assert_int_equal(store_flush(writer, &err), -EBUSY);
	assert_int_equal(fixture_count_between(reader, 0, UINT64_MAX), 100);
	store_close(reader);
	fixture_flush(writer);
	assert_int_equal(fixture_layers_agree(folder->path), 200);
	store_writer_free(writer);
	profile_free(profile);
}

static void two_writers_do_not_meet(void **state)
{
	const struct folder *folder = *state;
	struct profile *profiles[2] = { fixture_profile(), fixture_profile() };
	struct store_writer *writers[2];
	char other[128];

	snprintf(other, sizeof(other), "%s/b.prof", folder->name);
	writers[0] = fixture_create(folder->path, profiles[0]);
	writers[1] = fixture_create(other, profiles[1]);
	for (uint64_t i = 0; i < 10; i++) {
		fixture_add(writers[i % 2], i * 100, 100 + i);
		fixture_flush(writers[i % 2]);
	}
	for (size_t i = 0; i < 2; i++) {
		store_writer_free(writers[i]);
		profile_free(profiles[i]);
	}
	assert_int_equal(fixture_layers_agree(folder->path), 500 + 0 + 2 + 4 + 6 + 8);
	assert_int_equal(fixture_layers_agree(other), 500 + 1 + 3 + 5 + 7 + 9);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_there_is_kept),
		TEST(odd_names_are_files),
		TEST(a_removed_file_is_reported),
		TEST(a_moved_file_is_reported),
		TEST(what_is_in_the_journals_place_is_named),
		TEST(a_recording_is_seen),
		TEST(a_reader_delays_a_flush),
		TEST(two_writers_do_not_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
