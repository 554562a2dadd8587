/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/dynamic_library.h"

#define FUNCTIONS(X) X(strlen) X(strcmp)

struct library {
	FUNCTIONS(DYNAMIC_LIBRARY_POINTER)
};

static void functions_are_found(void **state)
{
	static const char *const names[] = { FUNCTIONS(DYNAMIC_LIBRARY_NAME) NULL };
	struct library library;

	(void)state;
	assert_int_equal(dynamic_library_load("libc.so.6", names, "", &library, NULL), 0);
	assert_int_equal(library.strlen("four"), 4);
	assert_int_equal(library.strcmp("one", "one"), 0);
}

static void a_reason_is_given(void **state)
{
	static const char *const names[] = { "strlen", "of_a_later_release", NULL };
	void *functions[2];
	struct err err;

	(void)state;
	assert_int_equal(
		dynamic_library_load("libmissing.so.0", names, "install it", functions, &err),
		-ENOENT);
	assert_string_equal(err.text, "install it");
	assert_int_equal(dynamic_library_load("libc.so.6", names, "install it", functions, &err),
			 -ENOENT);
	assert_string_equal(err.text, "libc.so.6 is too old: it lacks of_a_later_release");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(a_reason_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
