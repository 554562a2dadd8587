/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "views/views.h"

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(qprof_granularity("function"), QPROF_FUNCTION);
	assert_int_equal(qprof_granularity("line"), QPROF_LINE);
	assert_int_equal(qprof_granularity("address"), QPROF_ADDRESS);
	assert_int_equal(qprof_granularity("instruction"), QPROF_ADDRESS);
	assert_int_equal(qprof_granularity("functions"), QPROF_GRANULARITY_COUNT);
	assert_int_equal(qprof_granularity(""), QPROF_GRANULARITY_COUNT);
}

static void test_no_profile(void **state)
{
	const struct qprof_options options = { .granularity = QPROF_FUNCTION };
	struct err err;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(qprof_print("/no/such/profile", &options, out, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/profile"));
	fclose(out);
	assert_int_equal(size, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_no_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
