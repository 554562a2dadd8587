/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way of reaching functions that is announced is the one that is used. */
#include "watch/probes/probe_ways.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "watch/probes/probes.h"

/* How a function is reached; PROBE_NONE: not at all. */
static enum probe_mechanism attach(const struct probe_target *target)
{
	const struct probe_options options = { .targets = target, .target_count = 1 };
	enum probe_mechanism mechanism;
	struct probes *probes;
	struct err err = { "" };
	int rc = probes_new(&options, &probes, &err);

	if (rc == -EPERM || rc == -EACCES || rc == -ENOSYS || rc == -ESRCH || rc == -ENOENT) {
		print_message("%s\n", err.text);
		skip();
	}
	if (rc < 0)
		fail_msg("%s", err.text);
	rc = probes_attach(probes, &err);
	if (rc < 0 && rc != -ENOENT)
		fail_msg("%s", err.text);
	mechanism = probes_outcome(probes, 0)->mechanism;
	probes_free(probes);
	return mechanism;
}

static void test_functions_of_the_kernel(void **state)
{
	const struct probe_target target = { .label = "vfs_statfs", .name = "vfs_statfs" };
	enum probe_mechanism reached = attach(&target);

	(void)state;
	assert_int_equal(probes_mechanism(false, 1), reached);
}

static void test_more_functions_than_are_reached_by_fentry(void **state)
{
	const struct probe_target target = { .label = "vfs_statfs", .name = "vfs_statfs" };

	(void)state;
	attach(&target);
	assert_int_not_equal(probes_mechanism(false, PROBE_MAX_FENTRY + 1), PROBE_FENTRY);
}

static void test_the_best_way_there_is(void **state)
{
	struct probe_ways ways = { .fentry = true, .kprobe = true, .uprobe = true };

	(void)state;
	assert_int_equal(probe_ways_choose(&ways, false, PROBE_MAX_FENTRY), PROBE_FENTRY);
	assert_int_equal(probe_ways_choose(&ways, false, PROBE_MAX_FENTRY + 1), PROBE_KPROBE);
	assert_int_equal(probe_ways_choose(&ways, true, 1), PROBE_UPROBE);
	ways.kprobe_multi = ways.uprobe_multi = true;
	assert_int_equal(probe_ways_choose(&ways, false, PROBE_MAX_FENTRY), PROBE_FENTRY);
	assert_int_equal(probe_ways_choose(&ways, false, PROBE_MAX_FENTRY + 1), PROBE_KPROBE_MULTI);
	assert_int_equal(probe_ways_choose(&ways, true, 1), PROBE_UPROBE_MULTI);
	ways = (struct probe_ways){ .fentry = false };
	assert_int_equal(probe_ways_choose(&ways, false, 1), PROBE_NONE);
	assert_int_equal(probe_ways_choose(&ways, true, 1), PROBE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_of_the_kernel),
		cmocka_unit_test(test_more_functions_than_are_reached_by_fentry),
		cmocka_unit_test(test_the_best_way_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
