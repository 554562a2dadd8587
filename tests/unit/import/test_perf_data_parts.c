/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/open_limit.h"
#include "import/perf_data.h"
#include "import/perf_data_made.h"

static void write_part(int folder, const char *name, struct made *made)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, made->bytes.bytes, made->bytes.size), made->bytes.size);
	close(fd);
	buf_clear(&made->bytes);
}

/* What threads of perf wrote side by side; files of other names are none of it. */
static void folders_are_read_in_order_of_time(void **state)
{
	static const char *const names[] = { "data.0", "data.10", "data.x", "data.0.old" };
	char path[] = "/tmp/prospect-parts.XXXXXX";
	struct made made = { .swap = false };
	struct perf_data *data;
	int folder;

	assert_non_null(mkdtemp(path));
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (uint64_t at = 30; at <= 70; at += 20)
		sample(&made, FIRST_ID, at, at / 10);
	write_part(folder, names[0], &made);
	sample(&made, SECOND_ID, 20, 2);
	round_end(&made);
	sample(&made, SECOND_ID, 40, 4);
	round_end(&made);
	header(&made, 60, 0, 16);
	u64(&made, 60);
	u64(&made, FIRST_ID);
	sample(&made, FIRST_ID, 60, 6);
	write_part(folder, names[1], &made);
	sample(&made, FIRST_ID, 45, 1);
	write_part(folder, names[2], &made);
	sample(&made, FIRST_ID, 45, 1);
	write_part(folder, names[3], &made);
	file_head(&made, 112, 8 + 8 + 16 + 16, 0);
	comm(&made, 0, "first");
	data = open_ok(&made);
	assert_int_equal(perf_data_add_folder(data, folder, NULL), 0);
	check_records(data);
	perf_data_free(data);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(folder, names[i], 0);
	close(folder);
	rmdir(path);
	buf_done(&made.bytes);
}

static uint64_t open_files(void)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc/self/fd");
	uint64_t count = 0;

	while (readdir(dir))
		count++;
	return count;
}

/* Adds the parts of a folder to a recording without records of its own, and reads all. */
static struct perf_data *read_folder(const char *path, struct seen *seen)
{
	_cleanup_close_ int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct made made = { .swap = false };
	struct perf_data *data;

	file_head(&made, 112, 8 + 8 + 16 + 16, 0);
	comm(&made, 0, "first");
	data = open_ok(&made);
	assert_int_equal(perf_data_add_folder(data, folder, NULL), 0);
	assert_int_equal(perf_data_run(data, take, seen), 0);
	buf_done(&made.bytes);
	return data;
}

/* "data.01" is a file as well as "data.1", each of them read once and by its own name. */
static void parts_are_read_by_their_own_names(void **state)
{
	static const char *const names[] = { "data.1", "data.01", "data.002" };
	char path[] = "/tmp/prospect-parts.XXXXXX";
	struct made made = { .swap = false };
	struct seen seen = { .count = 0 };
	struct perf_data *data;
	uint64_t open_before;
	int folder;

	assert_non_null(mkdtemp(path));
	open_before = open_files();
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < 3; i++) {
		sample(&made, FIRST_ID, 10 * (i + 1), i + 1);
		write_part(folder, names[i], &made);
	}
	data = read_folder(path, &seen);
	assert_int_equal(seen.count, 4);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(seen.periods[i + 1], i + 1);
	assert_string_equal(perf_data_damage(data), "");
	perf_data_free(data);
	for (size_t i = 0; i < 3; i++)
		unlinkat(folder, names[i], 0);
	close(folder);
	rmdir(path);
	assert_int_equal(open_files(), open_before);
	buf_done(&made.bytes);
}

/* Numbers are what counts, not the order in which a folder has them. */
static void parts_beyond_the_limit_are_reported(void **state)
{
	enum { LIMIT = 4096, BEYOND = 3, SPARE = 64 };
	char path[] = "/tmp/prospect-parts.XXXXXX", name[32];
	struct made made = { .swap = false };
	struct seen seen = { .count = 0 };
	struct perf_data *data;
	struct rlimit files;
	int folder;

	open_limit_raise();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	if (files.rlim_cur < LIMIT + SPARE) {
		print_message("a process may only have %llu files open here\n",
			      (unsigned long long)files.rlim_cur);
		skip();
	}
	assert_non_null(mkdtemp(path));
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = LIMIT + BEYOND - 1; i >= 0; i--) {
		if (i == LIMIT - 1 || i == LIMIT)
			sample(&made, FIRST_ID, (uint64_t)i, (uint64_t)i);
		if (i == LIMIT - 1)
			u64(&made, PERF_RECORD_SAMPLE); /* of no size */
		snprintf(name, sizeof(name), "data.%d", i);
		write_part(folder, name, &made);
	}
	data = read_folder(path, &seen);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.periods[1], LIMIT - 1);
	assert_string_equal(perf_data_damage(data),
			    "corrupt file: a record of impossible size; "
			    "3 of its files data.N are omitted: only 4096 are read");
	perf_data_free(data);
	for (int i = 0; i < LIMIT + BEYOND; i++) {
		snprintf(name, sizeof(name), "data.%d", i);
		unlinkat(folder, name, 0);
	}
	close(folder);
	rmdir(path);
	buf_done(&made.bytes);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(folders_are_read_in_order_of_time),
		cmocka_unit_test(parts_are_read_by_their_own_names),
		cmocka_unit_test(parts_beyond_the_limit_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
