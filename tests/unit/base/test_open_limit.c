/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/open_limit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { FEW = 32, SOME = 64 };

static void as_many_as_are_allowed(void **state)
{
	struct rlimit limit = { .rlim_cur = FEW, .rlim_max = SOME };

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	open_limit_raise();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(limit.rlim_cur, SOME);
	assert_int_equal(limit.rlim_max, SOME);
	open_limit_raise();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(limit.rlim_cur, SOME);
	assert_int_equal(open_limit_rest(SOME - 5), 5);
	assert_int_equal(open_limit_rest(SOME), 0);
	assert_int_equal(open_limit_rest(SOME + 1), 0);
}

static void what_is_needed_is_said(void **state)
{
	const struct rlimit limit = { .rlim_cur = FEW, .rlim_max = FEW };
	struct err err = { "before" };

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(open_limit_check(FEW, "this", &err), 0);
	assert_string_equal(err.text, "before");
	assert_int_equal(open_limit_check(FEW + 7, "this", &err), -EMFILE);
	assert_non_null(strstr(err.text, "this needs about 39 open files, but the limit is 32: "));
	assert_non_null(strstr(err.text, "ulimit -n 39"));
	assert_int_equal(open_limit_explain(-ENFILE, SOME, "this", &err), -ENFILE);
	assert_non_null(strstr(err.text, "fs.file-max"));
	err.text[0] = '\0';
	assert_int_equal(open_limit_explain(-ENOENT, SOME, "this", &err), -ENOENT);
	assert_string_equal(err.text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_are_allowed),
		cmocka_unit_test(what_is_needed_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
