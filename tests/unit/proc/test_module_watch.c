/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proc/module_watch.h"

static struct module_changes parse(const char *message)
{
	return module_watch_parse(message, strlen(message) + 1);
}

static void only_modules_count(void **state)
{
	assert_int_equal(parse("add@/module/dummy").added, 1);
	assert_false(parse("add@/module/dummy").removed);
	assert_true(parse("remove@/module/dummy").removed);
	assert_false(parse("add@/devices/virtual/net/lo").added);
	assert_false(parse("remove@/devices/module/x").removed);
	assert_false(parse("").added);
	assert_false(module_watch_parse("add@/module/", 5).added);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(only_modules_count) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
