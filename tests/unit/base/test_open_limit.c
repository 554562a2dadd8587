/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/open_limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
