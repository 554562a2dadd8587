/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void assert_advice(const struct debug_packages_lists *lists, const char *path,
			  const char *expected)
{
	struct buf advice = { 0 };

	debug_packages_advise(lists, path, "set DEBUGINFOD_URLS", "compile it with -g", &advice);
	assert_string_equal(buf_text(&advice), expected);
	buf_done(&advice);
}

/* @expected: the package; "": none. */
static void assert_owner(const char *folder, const char *path, const char *expected)
{
	const struct debug_packages_lists lists = { folder, "/nonexistent" };
	struct buf advice = { 0 };
	char install[192];

	if (*expected) {
		snprintf(install, sizeof(install),
			 "install %s-dbgsym from Debian's debug archive (or %s-dbg, where there is "
			 "one), or set DEBUGINFOD_URLS",
			 expected, expected);
		assert_advice(&lists, path, install);
		return;
	}
	debug_packages_advise(&lists, path, "set DEBUGINFOD_URLS", "compile it with -g", &advice);
	assert_null(strstr(buf_text(&advice), "-dbg"));
	buf_done(&advice);
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

/* Some libraries have a NAME-dbg and no NAME-dbgsym. */
static void names_the_package_that_is_offered(void **state)
{
	char folder[] = "/tmp/test_packages.XXXXXX", command[64];
	const struct debug_packages_lists lists = { folder, folder };

	assert_non_null(mkdtemp(folder));
	write_list(folder, "libc6:amd64.list", "/lib/libc.so.6\n");
	write_list(folder, "coreutils.list", "/bin/true\n");
	write_list(folder, "dash.list", "/bin/dash\n");
	write_list(folder, "debian_main_binary-amd64_Packages",
		   "Package: libc6\nVersion: 2\n\nPackage: libc6-dbg\nVersion: 2\n");
	write_list(folder, "debug_main_binary-amd64_Packages",
		   "Package: coreutils-dbgsym\nVersion: 9\nDescription: for\n dash-dbgsym\n");
	write_list(folder, "debian_main_source_Sources", "Package: dash-dbg\n");
	assert_advice(&lists, "/lib/libc.so.6", "install libc6-dbg, or set DEBUGINFOD_URLS");
	assert_advice(&lists, "/bin/true", "install coreutils-dbgsym, or set DEBUGINFOD_URLS");
	assert_owner(folder, "/bin/dash", "dash");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void says_what_to_do(void **state)
{
	const struct debug_packages_lists none = { "/nonexistent", "/nonexistent" };

	assert_advice(&none, "/home/me/a.out", "compile it with -g");
	assert_advice(&none, "/usr/bin/sort",
		      "install its package's debug symbols, or set DEBUGINFOD_URLS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_package_of_a_file),
		cmocka_unit_test(names_the_package_that_is_offered),
		cmocka_unit_test(says_what_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
