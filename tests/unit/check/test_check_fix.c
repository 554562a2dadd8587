/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check_fix.h"

#include "tools.h"

/* What a user without rights finds, who then gets more step by step. */
static const struct check_point nothing[] = { { .name = "permission", .state = CHECK_LIMITED },
					      { .name = "stacks", .state = CHECK_LIMITED } };
static const struct check_point all[] = {
	{ .name = "permission", .state = CHECK_OK },
	{ .name = "clock",
	  .state = CHECK_LIMITED,
	  .fix = "the NMI watchdog uses a counter; once: sudo sysctl -w kernel.nmi_watchdog=0" },
};

static struct check_fix fix;

static bool choose(const struct check_fix_facts *facts, const struct check_point *points)
{
	return check_fix_choose(facts, points, 2, &fix);
}

static void test_level_first(void **state)
{
	struct check_fix_facts facts = { .paranoid = 3, .user = "ann", .executable = "/bin/p" };

	(void)state;
	assert_true(choose(&facts, nothing));
	assert_string_equal(fix.command, "sudo sysctl -w kernel.perf_event_paranoid=1");
	facts.kptr_restrict = 1;
	assert_true(choose(&facts, nothing));
	assert_string_equal(fix.command, "sudo sysctl -w kernel.perf_event_paranoid=1 "
					 "kernel.kptr_restrict=0");
}

static void test_then_capabilities(void **state)
{
	struct check_fix_facts facts = { .paranoid = 1, .user = "ann", .executable = "/it's/p" };

	(void)state;
	assert_true(choose(&facts, nothing));
	assert_string_equal(fix.command,
			    "sudo groupadd -f -r prospect && sudo usermod -aG prospect ann && "
			    "sudo chgrp prospect '/it'\\''s/p' && sudo chmod 0750 '/it'\\''s/p' && "
			    "sudo setcap cap_perfmon,cap_bpf,cap_syslog+ep '/it'\\''s/p'");
	facts.group_only = true;
	facts.executable = "/bin/p";
	assert_true(choose(&facts, nothing));
	assert_string_equal(fix.command, "sudo setcap cap_perfmon,cap_bpf,cap_syslog+ep /bin/p");
	/* it has some of them already */
	facts.capable = true;
	facts.paranoid = 3;
	assert_true(choose(&facts, nothing));
	assert_string_equal(fix.command, "sudo setcap cap_perfmon,cap_bpf,cap_syslog+ep /bin/p");
}

static void test_nothing_helps(void **state)
{
	struct check_fix_facts facts = { .paranoid = 1, .executable = "/bin/p", .ignored = true };

	(void)state;
	assert_false(choose(&facts, nothing));
	facts = (struct check_fix_facts){ .paranoid = 1 };
	assert_false(choose(&facts, nothing));
	facts = (struct check_fix_facts){ .root = true, .paranoid = 3, .executable = "/bin/p" };
	assert_false(choose(&facts, nothing));
}

static void test_then_points(void **state)
{
	struct check_fix_facts facts = { .paranoid = 3, .executable = "/bin/p" };

	(void)state;
	assert_true(choose(&facts, all));
	assert_string_equal(fix.command, "sudo sysctl -w kernel.nmi_watchdog=0");
	assert_string_equal(fix.gain, "clock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_level_first),
		cmocka_unit_test(test_then_capabilities),
		cmocka_unit_test(test_nothing_helps),
		cmocka_unit_test(test_then_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
