/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/lines/source_files.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools.h"

static const struct readers ourselves;

static char *path_in(const char *folder, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

static void write_file(const char *folder, const char *name, const char *text, size_t size)
{
	_cleanup_free_ char *path = path_in(folder, name);
	_cleanup_fclose_ FILE *file = fopen(path, "we");

	assert_non_null(file);
	fwrite(text, 1, size, file);
}

static void test_lines(void **state)
{
	static const char text[] = "one\n\ttwo\r\n\nfo\0ur\nlast";
	_cleanup_free_ char *folder = tools_folder();
	_cleanup_free_ char *path = path_in(folder, "a.c");
	struct source_files *files = source_files_new(NULL, 0, NULL);
	const struct source_file *file;

	(void)state;
	write_file(folder, "a.c", text, sizeof(text) - 1);
	file = source_files_get(files, &ourselves, path);
	assert_non_null(file);
	assert_ptr_equal(source_files_get(files, &ourselves, path), file);
	assert_int_equal(source_file_lines(file), 5);
	assert_string_equal(source_file_line(file, 1), "one");
	assert_string_equal(source_file_line(file, 2), "\ttwo");
	assert_string_equal(source_file_line(file, 3), "");
	assert_string_equal(source_file_line(file, 4), "fo");
	assert_string_equal(source_file_line(file, 5), "last");
	assert_string_equal(source_file_line(file, 0), "");
	assert_string_equal(source_file_line(file, 6), "");
	assert_true(source_file_mtime_ns(file) > 0);
	source_files_free(files);
	tools_remove(steal_ptr(folder));
}

static void test_places(void **state)
{
	char *folder = tools_folder();
	_cleanup_free_ char *inner = path_in(folder, "src");
	_cleanup_free_ char *found = path_in(folder, "src/b.c");
	_cleanup_free_ char *rule = NULL;
	const char *paths[2];
	struct source_files *files;

	(void)state;
	assert_int_equal(mkdir(inner, 0700), 0);
	write_file(inner, "b.c", "x\n", 2);
	assert_true(asprintf(&rule, "/build/app=%s", folder) > 0);

	paths[0] = rule;
	files = source_files_new(paths, 1, NULL);
	assert_string_equal(
		source_file_path(source_files_get(files, &ourselves, "/build/app/src/b.c")), found);
	/* whole folders only */
	assert_null(source_files_get(files, &ourselves, "/build/apple/src/b.c"));
	assert_null(source_files_get(files, &ourselves, "/build/appsrc/b.c"));
	assert_null(source_files_get(files, &ourselves, "/build/app/b.c"));
	source_files_free(files);

	paths[0] = folder;
	files = source_files_new(paths, 1, NULL);
	assert_string_equal(
		source_file_path(source_files_get(files, &ourselves, "/any/where/src/b.c")), found);
	assert_null(source_files_get(files, &ourselves, "/any/where/c.c"));
	assert_null(source_files_get(files, &ourselves, ""));
	source_files_free(files);
	tools_remove(folder);
}

/* Only regular files are opened. */
static void test_tricks(void **state)
{
	char *folder = tools_folder();
	_cleanup_free_ char *fifo = path_in(folder, "fifo");
	struct source_files *files = source_files_new(NULL, 0, NULL);

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_null(source_files_get(files, &ourselves, fifo));
	assert_null(source_files_get(files, &ourselves, folder));
	assert_null(source_files_get(files, &ourselves, "/dev/zero"));
	source_files_free(files);
	tools_remove(folder);
}

/* Names of an archive lead into its folder first, and never out of it. */
static void test_unpacked(void **state)
{
	char *folder = tools_folder();
	_cleanup_free_ char *inner = path_in(folder, "sources");
	_cleanup_free_ char *found = path_in(inner, "b.c");
	struct source_files *files = source_files_new(NULL, 0, inner);

	(void)state;
	assert_int_equal(mkdir(inner, 0700), 0);
	write_file(inner, "b.c", "x\n", 2);
	write_file(folder, "outside.c", "x\n", 2);
	assert_string_equal(source_file_path(source_files_get(files, &ourselves, "/b.c")), found);
	assert_null(source_files_get(files, &ourselves, "../outside.c"));
	source_files_free(files);
	tools_remove(folder);
}

/* A user who may read a file gets it, even if one who may not asked before. */
static void test_readers(void **state)
{
	const struct readers nobody = { .uids = { 61234 }, .count = 1 };
	char *folder = tools_folder();
	_cleanup_free_ char *path = path_in(folder, "a.c");
	struct source_files *files = source_files_new(NULL, 0, NULL);

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(folder, 0755), 0);
	write_file(folder, "a.c", "x\n", 2);
	assert_int_equal(chmod(path, 0600), 0);
	for (int i = 0; i < 2; i++) {
		assert_null(source_files_get(files, &nobody, path));
		assert_string_equal(source_files_refusal(files, &nobody, path),
				    "user 61234 has no read permission");
		assert_non_null(source_files_get(files, &ourselves, path));
		assert_null(source_files_refusal(files, &ourselves, path));
	}
	assert_null(source_files_refusal(files, &nobody, "/missing/x.c"));
	source_files_free(files);
	tools_remove(folder);
}

/* A file that was found and refused counts more than places where there is none. */
static void test_refusal_among_others(void **state)
{
	const struct readers nobody = { .uids = { 61234 }, .count = 1 };
	char *folder = tools_folder();
	_cleanup_free_ char *path = path_in(folder, "a.c");
	const char *paths[1] = { folder };
	struct source_files *files = source_files_new(paths, 1, NULL);

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(folder, 0755), 0);
	write_file(folder, "a.c", "x\n", 2);
	assert_int_equal(chmod(path, 0600), 0);
	assert_null(source_files_get(files, &nobody, "/missing/a.c"));
	assert_string_equal(source_files_refusal(files, &nobody, "/missing/a.c"),
			    "user 61234 has no read permission");
	source_files_free(files);
	tools_remove(folder);
}

static void test_rules(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(source_files_check("/a=/b", &err), 0);
	assert_int_equal(source_files_check("/a", &err), 0);
	assert_int_equal(source_files_check("", &err), -EINVAL);
	assert_int_equal(source_files_check("=", &err), -EINVAL);
	assert_int_equal(source_files_check("=/b", &err), -EINVAL);
	assert_int_equal(source_files_check("/a=", &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	cmocka_unit_test(test_places),
		cmocka_unit_test(test_tricks),	cmocka_unit_test(test_unpacked),
		cmocka_unit_test(test_readers), cmocka_unit_test(test_refusal_among_others),
		cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
