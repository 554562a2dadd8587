/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sampling/interrupt_cost.h"

static void median_and_quartiles(void **state)
{
	double odd[] = { 5, 1, 4, 2, 3 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };
	struct interrupt_cost cost;

	interrupt_cost_quartiles(odd, 5, &cost);
	assert_float_equal(cost.ns, 3, 0);
	assert_float_equal(cost.low_ns, 2, 0);
	assert_float_equal(cost.high_ns, 4, 0);
	interrupt_cost_quartiles(even, 4, &cost);
	assert_float_equal(cost.ns, 2.5, 0);
	interrupt_cost_quartiles(one, 1, &cost);
	assert_float_equal(cost.ns, 7, 0);
	assert_float_equal(cost.low_ns, 7, 0);
	assert_float_equal(cost.high_ns, 7, 0);
}

static void kept_for_this_boot_only(void **state)
{
	char home[] = "/tmp/prospect-test-XXXXXX", path[128], command[128];
	struct interrupt_cost cost = { .ns = 14500, .low_ns = 14000, .high_ns = 15000 };
	struct interrupt_cost kept;
	FILE *file;

	assert_non_null(mkdtemp(home));
	setenv("XDG_STATE_HOME", home, 1);
	unsetenv("SUDO_UID");
	assert_int_equal(interrupt_cost_load(&kept), -ENOENT);
	assert_int_equal(interrupt_cost_save(&cost, NULL), 0);
	assert_int_equal(interrupt_cost_load(&kept), 0);
	assert_float_equal(kept.ns, 14500, 0);
	assert_float_equal(kept.high_ns, 15000, 0);
	snprintf(path, sizeof(path), "%s/prospect/interrupt-cost", home);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("00000000-0000-0000-0000-000000000000 1 1 1\n", file);
	fclose(file);
	assert_int_equal(interrupt_cost_load(&kept), -ENOENT);
	snprintf(command, sizeof(command), "rm -rf %s", home);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_and_quartiles),
		cmocka_unit_test(kept_for_this_boot_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
