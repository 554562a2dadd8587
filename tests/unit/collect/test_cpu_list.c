/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/cpu_list.h"

static void assert_list(const char *text, size_t count, const int *wanted)
{
	int *cpus;
	size_t got;

	assert_int_equal(cpu_list_parse(text, &cpus, &got, NULL), 0);
	assert_int_equal(got, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(cpus[i], wanted[i]);
	free(cpus);
}

static void lists_and_ranges(void **state)
{
	assert_list("0\n", 1, (const int[]){ 0 });
	assert_list("0-3", 4, (const int[]){ 0, 1, 2, 3 });
	assert_list("0-1,8,10-11\n", 5, (const int[]){ 0, 1, 8, 10, 11 });
}

static void nonsense_is_refused(void **state)
{
	static const char *const wrong[] = { "",      "a",     "1-",	       "3-1",
					     "1,,2",  "1 2",   "-1",	       "0-99999",
					     "99999", "1-2-3", "0-8191,0-8191" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err;
		int *cpus;
		size_t count;

		assert_true(cpu_list_parse(wrong[i], &cpus, &count, &err) < 0);
	}
}

static void as_many_online_as_libc_says(void **state)
{
	int *cpus;
	size_t count;

	assert_int_equal(cpu_list_online(&cpus, &count, NULL), 0);
	assert_int_equal(count, sysconf(_SC_NPROCESSORS_ONLN));
	free(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(as_many_online_as_libc_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
