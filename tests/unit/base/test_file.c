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
#include <unistd.h>

#include "base/file.h"

struct place {
	char folder[64];
};

static int make_place(void **state)
{
	struct place *place = test_malloc(sizeof(*place));

	strcpy(place->folder, "/tmp/test_file.XXXXXX");
	*state = place;
	return mkdtemp(place->folder) && chdir(place->folder) == 0 ? 0 : -1;
}

static int remove_place(void **state)
{
	struct place *place = *state;
	int rc;

	unlink("file");
	rc = chdir("/") == 0 ? rmdir(place->folder) : -1;
	test_free(place);
	return rc;
}

static void write_file(const char *text)
{
	FILE *file = fopen("file", "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void appends_the_whole_file(void **state)
{
	struct buf buf = { 0 };

	write_file("contents\n");
	buf_add_str(&buf, "before:");
	assert_int_equal(file_read("file", 100, &buf), 0);
	assert_string_equal(buf_text(&buf), "before:contents\n");
	buf_done(&buf);
}

/* The kernel's files have no size beforehand; the loader's own map has our text in it. */
static void reads_proc(void **state)
{
	struct buf buf = { 0 };

	assert_int_equal(file_read("/proc/self/maps", 1 << 24, &buf), 0);
	assert_non_null(strstr(buf_text(&buf), "[stack]"));
	buf_done(&buf);
}

static void limits_count_from_the_start_of_the_file(void **state)
{
	struct buf buf = { 0 };

	write_file("12345678");
	buf_add_str(&buf, "much before");
	assert_int_equal(file_read("file", 8, &buf), 0);
	assert_int_equal(file_read("file", 7, &buf), -EFBIG);
	buf_done(&buf);
}

static void reads_at_a_folder(void **state)
{
	struct place *place = *state;
	struct buf buf = { 0 };
	int folder = open(place->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(folder >= 0);
	write_file("here");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(file_read_at(folder, "file", 100, &buf), 0);
	assert_string_equal(buf_text(&buf), "here");
	assert_int_equal(fchdir(folder), 0);
	close(folder);
	buf_done(&buf);
}

static void failures_are_reported(void **state)
{
	struct buf buf = { 0 };
	int64_t value = 5;

	assert_int_equal(file_read("absent", 100, &buf), -ENOENT);
	assert_int_equal(file_read(".", 100, &buf), -EISDIR);
	assert_int_equal(file_read_i64("absent", &value), -ENOENT);
	assert_int_equal(value, 5);
	buf_done(&buf);
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t value;
	} cases[] = { { "42\n", 0, 42 },
		      { "-1\n", 0, -1 },
		      { "9223372036854775807\n", 0, INT64_MAX },
		      { "9223372036854775808\n", -EINVAL, 7 },
		      { "max\n", -EINVAL, 7 },
		      { "", -EINVAL, 7 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t value = 7;

		write_file(cases[i].text);
		assert_int_equal(file_read_i64("file", &value), cases[i].rc);
		assert_int_equal(value, cases[i].value);
	}
}

static void last_parts(void **state)
{
	const char *path = "/usr/lib/libc.so.6";

	assert_ptr_equal(file_base(path), path + strlen("/usr/lib/"));
	assert_string_equal(file_base("plain"), "plain");
	assert_string_equal(file_base("folder/"), "");
	assert_string_equal(file_base(""), "");
}

static void what_kept_output_from_arriving(void **state)
{
	static const char block[100000];
	FILE *full = fopen("/dev/full", "w"), *fine = fopen("/dev/null", "w");

	assert_non_null(full);
	assert_non_null(fine);
	assert_int_equal(file_flush(full), 0);
	fputs("in the buffer", full);
	assert_int_equal(file_flush(full), -ENOSPC);
	fclose(full);

	/* More than any buffer: what failed is over when it is asked for. */
	full = fopen("/dev/full", "w");
	assert_int_not_equal(fwrite(block, 1, sizeof(block), full), sizeof(block));
	assert_int_equal(fflush(full), 0);
	errno = EINTR;
	assert_int_equal(file_flush(full), -ENOSPC);
	fclose(full);

	fwrite(block, 1, sizeof(block), fine);
	assert_int_equal(file_flush(fine), 0);
	fclose(fine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends_the_whole_file),
		cmocka_unit_test(reads_proc),
		cmocka_unit_test(limits_count_from_the_start_of_the_file),
		cmocka_unit_test(reads_at_a_folder),
		cmocka_unit_test(failures_are_reported),
		cmocka_unit_test(numbers),
		cmocka_unit_test(last_parts),
		cmocka_unit_test(what_kept_output_from_arriving),
	};

	return cmocka_run_group_tests(tests, make_place, remove_place);
}
