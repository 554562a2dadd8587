/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache_folder.h"

struct place {
	char root[32];
	char path[64]; /* of the cache, two folders below: not there yet */
};

static int make_place(void **state)
{
	struct place *place = test_malloc(sizeof(*place));

	strcpy(place->root, "/tmp/test_cache.XXXXXX");
	*state = place;
	if (!mkdtemp(place->root))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/a/b", place->root);
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;
	char command[64];
	int rc;

	snprintf(command, sizeof(command), "rm -rf %s", place->root);
	rc = system(command);
	test_free(place);
	return rc;
}

static void put(struct cache_folder *folder, const char *name, const char *text)
{
	assert_int_equal(cache_folder_write(folder, name, text, strlen(text)), 0);
}

static void assert_has(struct cache_folder *folder, const char *name, const char *expected)
{
	char text[64] = "";
	uint64_t size;
	int fd = cache_folder_open(folder, name, &size);

	assert_true(fd >= 0);
	assert_int_equal(size, strlen(expected));
	assert_int_equal(read(fd, text, sizeof(text) - 1), size);
	assert_string_equal(text, expected);
	close(fd);
}

static void assert_has_not(struct cache_folder *folder, const char *name)
{
	uint64_t size;

	assert_int_equal(cache_folder_open(folder, name, &size), -ENOENT);
}

static void set_age(const struct place *place, const char *name, time_t seconds)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = 0 } };
	char path[128];

	times[1].tv_sec = time(NULL) - seconds;
	snprintf(path, sizeof(path), "%s/%s", place->path, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void keeps_what_was_written_last(void **state)
{
	const struct place *place = *state;
	_cleanup_(cache_folder_freep) struct cache_folder *folder =
		cache_folder_new(place->path, 1000);
	struct stat st;

	assert_true(cache_folder_works(folder));
	assert_has_not(folder, "x");
	put(folder, "x", "first");
	assert_has(folder, "x", "first");
	put(folder, "x", "second");
	assert_has(folder, "x", "second");
	cache_folder_drop(folder, "x");
	assert_has_not(folder, "x");
	assert_int_equal(stat(place->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void a_reader_keeps_the_file_it_opened(void **state)
{
	const struct place *place = *state;
	_cleanup_(cache_folder_freep) struct cache_folder *one =
		cache_folder_new(place->path, 1000);
	_cleanup_(cache_folder_freep) struct cache_folder *two =
		cache_folder_new(place->path, 1000);
	char text[8] = "";
	uint64_t size;
	int fd;

	put(one, "x", "one");
	fd = cache_folder_open(two, "x", &size);
	put(two, "x", "two");
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "one");
	assert_has(one, "x", "two");
	close(fd);
}

static void the_longest_unused_goes_first(void **state)
{
	const struct place *place = *state;
	_cleanup_(cache_folder_freep) struct cache_folder *folder =
		cache_folder_new(place->path, 10);

	put(folder, "a", "aaaa");
	put(folder, "b", "bbbb");
	set_age(place, "a", 3 * 3600);
	set_age(place, "b", 2 * 3600);
	assert_has(folder, "a", "aaaa"); /* used now */
	put(folder, "c", "cccc");
	assert_has_not(folder, "b");
	assert_has(folder, "a", "aaaa");
	assert_has(folder, "c", "cccc");
	assert_int_equal(cache_folder_write(folder, "d", "ddddddddddd", 11), -EFBIG);
	assert_has(folder, "c", "cccc");
}

static void what_a_killed_writer_left_goes(void **state)
{
	const struct place *place = *state;
	_cleanup_(cache_folder_freep) struct cache_folder *folder =
		cache_folder_new(place->path, 1000);
	char old[128], young[128];

	snprintf(old, sizeof(old), "%s/.1-2-3", place->path);
	snprintf(young, sizeof(young), "%s/.1-2-4", place->path);
	close(open(old, O_CREAT | O_WRONLY, 0600));
	close(open(young, O_CREAT | O_WRONLY, 0600));
	set_age(place, ".1-2-3", 2 * 3600);
	put(folder, "a", "a");
	assert_int_equal(access(old, F_OK), -1);
	assert_int_equal(access(young, F_OK), 0);
}

static void others_may_not_write_to_it(void **state)
{
	const struct place *place = *state;
	struct cache_folder *folder = cache_folder_new(place->path, 1000);
	char path[128];

	put(folder, "x", "x");
	snprintf(path, sizeof(path), "%s/x", place->path);
	chmod(path, 0666);
	assert_has_not(folder, "x");
	snprintf(path, sizeof(path), "%s/link", place->path);
	assert_int_equal(symlink("/etc/hostname", path), 0);
	assert_has_not(folder, "link");
	cache_folder_free(folder);

	chmod(place->path, 0777);
	folder = cache_folder_new(place->path, 1000);
	assert_false(cache_folder_works(folder));
	assert_int_equal(cache_folder_write(folder, "y", "y", 1), -ENOENT);
	cache_folder_free(folder);
}

static void names_stay_in_the_folder(void **state)
{
	const struct place *place = *state;
	_cleanup_(cache_folder_freep) struct cache_folder *folder =
		cache_folder_new(place->path, 1000);
	char name[400];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(cache_folder_write(folder, "../x", "x", 1), -ENOENT);
	assert_int_equal(cache_folder_write(folder, ".x", "x", 1), -ENOENT);
	assert_int_equal(cache_folder_write(folder, "", "x", 1), -ENOENT);
	assert_int_equal(cache_folder_write(folder, name, "x", 1), -ENOENT);
}

static void does_without_a_folder(void **state)
{
	static const char *const paths[] = { NULL, "", "relative", "/proc/self/none/x" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		_cleanup_(cache_folder_freep) struct cache_folder *folder =
			cache_folder_new(paths[i], 1000);

		assert_false(cache_folder_works(folder));
		assert_has_not(folder, "x");
		assert_int_equal(cache_folder_write(folder, "x", "x", 1), -ENOENT);
		cache_folder_drop(folder, "x");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(keeps_what_was_written_last, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(a_reader_keeps_the_file_it_opened, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(the_longest_unused_goes_first, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(what_a_killed_writer_left_goes, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(others_may_not_write_to_it, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(names_stay_in_the_folder, make_place, remove_place),
		cmocka_unit_test(does_without_a_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
