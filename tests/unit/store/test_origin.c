/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which profile is the very file that a recording made. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"

#include "store/fixture.h"

static void write_profile(const char *path, bool recorded)
{
	struct profile *profile = fixture_profile();
	struct store_writer *writer;
	struct err err;

	assert_int_equal(store_create(path, profile, &writer, &err), 0);
	if (recorded)
		store_note_origin(writer);
	assert_int_equal(store_flush(writer, &err), 0);
	store_writer_free(writer);
	profile_free(profile);
}

/* Is it, when it is opened at @path? */
static bool is_origin(const char *path)
{
	struct store_reader *reader;
	struct profile *profile;
	struct stat there, found;
	struct err err;
	bool origin;
	int fd;

	assert_int_equal(store_open(path, &reader, &err), 0);
	assert_int_equal(store_load_profile(reader, &profile, &err), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(store_has_open(fd));
	close(fd);
	fd = store_find_origin(profile);
	if (fd >= 0) {
		assert_int_equal(fstat(fd, &found), 0);
		assert_int_equal(stat(path, &there), 0);
		assert_int_equal(found.st_ino, there.st_ino);
	}
	origin = fd >= 0;
	store_close(reader);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_false(store_has_open(fd));
	close(fd);
	/* of a file that is not open nothing is believed */
	assert_int_equal(store_find_origin(profile), -1);
	profile_free(profile);
	return origin;
}

static void the_very_file(void **state)
{
	const struct folder *folder = *state;
	char moved[128], copied[128], command[300];

	snprintf(moved, sizeof(moved), "%s/moved.prof", folder->name);
	snprintf(copied, sizeof(copied), "%s/copied.prof", folder->name);
	write_profile(folder->path, true);
	assert_true(is_origin(folder->path));
	assert_int_equal(rename(folder->path, moved), 0);
	assert_true(is_origin(moved));
	snprintf(command, sizeof(command), "cp -a %s %s", moved, copied);
	assert_int_equal(system(command), 0);
	assert_false(is_origin(copied));
}

static void not_recorded(void **state)
{
	const struct folder *folder = *state;

	write_profile(folder->path, false);
	assert_false(is_origin(folder->path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_very_file, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(not_recorded, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
