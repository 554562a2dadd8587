/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_limits.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct err said(struct perf_refusal refusal)
{
	struct err err = { "" };

	refusal.rc = -EACCES;
	assert_int_equal(perf_limits_refusal(&refusal, &err), -EACCES);
	return err;
}

static void has(struct err err, const char *words)
{
	if (!strstr(err.text, words))
		fail_msg("'%s' is not in: %s", words, err.text);
}

static void lacks(struct err err, const char *words)
{
	if (strstr(err.text, words))
		fail_msg("'%s' is in: %s", words, err.text);
}

/* Debian's kernels refuse all to others than root at level 3. */
static void a_level_that_refuses_all(void **state)
{
	struct perf_refusal refusal = { .paranoid = 3 };

	has(said(refusal), "only root may use perf events here (kernel.perf_event_paranoid is 3)");
	has(said(refusal), "kernel.perf_event_paranoid=2");
	refusal.machine = true;
	has(said(refusal), "only root may use perf events here");
}

/* At the same level other kernels permit what they permit at 2. */
static void a_level_that_permits_ones_own(void **state)
{
	for (int64_t level = 1; level <= 4; level++) {
		struct perf_refusal refusal = { .paranoid = level, .own = true, .machine = true };

		lacks(said(refusal), "only root may use perf events");
		has(said(refusal), "only root may observe the whole machine here");
		has(said(refusal), "'prospect check --fix'");
		lacks(said(refusal), "kernel.perf_event_paranoid=");
		refusal.machine = false;
		lacks(said(refusal), "whole machine");
		lacks(said(refusal), "only root may use perf events");
		has(said(refusal), "run with sudo");
	}
}

/* No level explains these. */
static void other_refusals(void **state)
{
	has(said((struct perf_refusal){ .paranoid = 2 }), "seccomp");
	lacks(said((struct perf_refusal){ .paranoid = 2 }), "sysctl");
	has(said((struct perf_refusal){ .paranoid = 3, .root = true }), "even to root");
	lacks(said((struct perf_refusal){ .paranoid = 0, .own = true, .machine = true }), "sysctl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_that_refuses_all),
		cmocka_unit_test(a_level_that_permits_ones_own),
		cmocka_unit_test(other_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
