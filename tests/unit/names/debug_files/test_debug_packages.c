/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "names/debug_files/debug_packages.h"

static void write_list(const char *folder, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_owner(const char *folder, const char *path, const char *expected)
{
	struct buf package = { 0 };

	assert_int_equal(debug_packages_owner(folder, path, &package), *expected != '\0');
	assert_string_equal(buf_text(&package), expected);
	buf_done(&package);
}

static void finds_the_package_of_a_file(void **state)
{
	char folder[] = "/tmp/test_packages.XXXXXX", command[64];

	assert_non_null(mkdtemp(folder));
	write_list(folder, "coreutils.list", "/.\n/bin\n/bin/true\n/usr/bin/sort\n");
	write_list(folder, "libfoo:amd64.list", "/usr/lib/libfoo.so.1\n/usr/lib/last");
	write_list(folder, "other.md5sums", "/usr/lib/other\n");
	assert_owner(folder, "/usr/bin/sort", "coreutils");
	assert_owner(folder, "/bin/true", "coreutils");
	assert_owner(folder, "/usr/bin/true", "coreutils");
	assert_owner(folder, "/usr/lib/libfoo.so.1", "libfoo");
	assert_owner(folder, "/usr/lib/last", "libfoo");
	assert_owner(folder, "/usr/lib/libfoo.so", "");
	assert_owner(folder, "/usr/lib/other", "");
	assert_owner(folder, "", "");
	assert_owner("/tmp/there is no such folder", "/bin/true", "");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void says_what_to_do(void **state)
{
	struct buf advice = { 0 };

	debug_packages_advise("/home/me/a.out", &advice);
	assert_string_equal(buf_text(&advice), "compile it with -g");
	buf_done(&advice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_package_of_a_file),
		cmocka_unit_test(says_what_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
