/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_waited.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/profile.h"
#include "present/waited.h"

enum { BEGIN_S = 1000, REASONS = 2 };

/* A command of 10 s whose waits are known with their reasons. */
static struct run_facts ten_seconds(void)
{
	return (struct run_facts){ .command_begin_ns = BEGIN_S * NS_PER_S,
				   .command_end_ns = (BEGIN_S + 10) * NS_PER_S,
				   .waited_known = REASONS };
}

static void assert_reasons(const struct run_facts *run, const char *expected)
{
	const struct waited waited = waited_of(run);
	struct buf text = { 0 };

	text_waited_reasons(&text, &waited);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

static void assert_time(const struct run_facts *run, const char *expected)
{
	const struct waited waited = waited_of(run);
	struct buf text = { 0 };

	text_waited_time(&text, &waited, run);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

static void test_reasons_come_longest_first(void **state)
{
	struct run_facts run = ten_seconds();

	run.waited_child_ns = 200 * NS_PER_MS;
	run.waited_disk_ns = 500 * NS_PER_MS;
	run.waited_sleep_ns = 49 * NS_PER_MS;
	assert_reasons(&run, "waited 0.749 s (7 %): disk 5 %, child 2 %");
}

static void test_a_busy_command(void **state)
{
	struct run_facts run = ten_seconds();

	assert_reasons(&run, "waited 0 %");
	run.waited_network_ns = 49 * NS_PER_MS;
	assert_reasons(&run, "waited 0 %");
	run.waited_network_ns = 51 * NS_PER_MS;
	assert_reasons(&run, "waited 0.051 s (1 %): network 1 %");
}

/* Each reason alone rounds to nothing. */
static void test_many_small_reasons(void **state)
{
	struct run_facts run = ten_seconds();

	run.waited_disk_ns = run.waited_pipe_ns = run.waited_poll_ns = 40 * NS_PER_MS;
	assert_reasons(&run, "waited 0.120 s (1 %)");
}

static void test_locks(void **state)
{
	struct run_facts run = ten_seconds();

	run.lock_wait_ns = 23500 * NS_PER_MS;
	assert_reasons(&run, "waited 0 %; threads blocked on locks 23.50 s");
	run.lock_wait_ns = NS_PER_MS;
	assert_reasons(&run, "waited 0 %");
}

static void test_without_reasons(void **state)
{
	struct run_facts run = ten_seconds();

	run.waited_known = 1;
	run.waited_unknown_ns = 4 * NS_PER_S;
	run.waited_disk_ns = 3 * NS_PER_S;
	run.lock_wait_ns = 2 * NS_PER_S;
	assert_reasons(&run, "waited 4.00 s (40 %), reason not known");
	run.waited_unknown_ns = 0;
	assert_reasons(&run, "waited 0 %");
	run.waited_known = 0;
	assert_reasons(&run, "whether it waited is not known");
}

static void test_time(void **state)
{
	struct run_facts run = ten_seconds();

	assert_time(&run, "10.00 s");
	run.command_user_ns = 4600 * NS_PER_MS;
	run.command_system_ns = 300 * NS_PER_MS;
	assert_time(&run, "10.00 s, CPU 4.90 s (user 4.60, system 0.30)");
	run.command_user_ns = 0;
	assert_time(&run, "10.00 s, CPU 0.300 s (user 0.000, system 0.300)");
}

/* An older profile, the whole machine, a damaged file. */
static void test_no_command(void **state)
{
	struct run_facts run = ten_seconds();

	run.command_end_ns = 0;
	assert_int_equal(waited_of(&run).elapsed_ns, 0);
	run.command_begin_ns = 0;
	run.command_end_ns = NS_PER_S;
	assert_int_equal(waited_of(&run).elapsed_ns, 0);
}

static void test_facts_that_cannot_be(void **state)
{
	struct run_facts run = ten_seconds();

	run.waited_known = UINT64_MAX;
	run.waited_disk_ns = 9 * NS_PER_S;
	run.waited_sleep_ns = UINT64_MAX;
	run.waited_other_ns = UINT64_MAX;
	assert_reasons(&run, "waited 10.00 s (100 %): disk 90 %, sleep 10 %");
}

/* Then locks may be more than is known. */
static void test_too_many_to_ask(void **state)
{
	struct run_facts run = ten_seconds();

	run.waited_pipe_ns = NS_PER_S;
	run.waited_unknown_ns = 3 * NS_PER_S;
	run.lock_wait_ns = 2 * NS_PER_S;
	run.waits_not_asked = 1234567;
	assert_reasons(&run, "waited 4.00 s (40 %): unknown 30 %, pipe 10 %; threads blocked on "
			     "locks at least 2.00 s; too many waits a second to ask why: "
			     "1,234,567 were not asked");
}

static void assert_ready(const struct run_facts *run, uint64_t cpu_ns, const char *expected)
{
	const struct waited waited = waited_of(run);
	struct buf text = { 0 };

	text_waited_ready(&text, &waited, cpu_ns);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

/* Neither waiting nor running. */
static void test_ready_without_a_cpu(void **state)
{
	struct run_facts run = ten_seconds();

	run.waited_disk_ns = 2 * NS_PER_S;
	assert_ready(&run, 3 * NS_PER_S, "; ready but without a CPU for at least 5.00 s (50 %)");
	assert_ready(&run, 7510 * NS_PER_MS, "");
	assert_ready(&run, 30 * NS_PER_S, ""); /* of several CPUs */
	run.waited_disk_ns = 0;
	run.command_end_ns = run.command_begin_ns + 11 * NS_PER_MS;
	assert_ready(&run, 0, "; ready but without a CPU for at least 0.011 s (100 %)");
	assert_ready(&run, 2 * NS_PER_MS, ""); /* a tick */
	run.waited_known = 0;
	assert_ready(&run, 3 * NS_PER_S, "");
	run.command_end_ns = 0;
	assert_ready(&run, 3 * NS_PER_S, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons_come_longest_first),
		cmocka_unit_test(test_a_busy_command),
		cmocka_unit_test(test_many_small_reasons),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_without_reasons),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_no_command),
		cmocka_unit_test(test_facts_that_cannot_be),
		cmocka_unit_test(test_too_many_to_ask),
		cmocka_unit_test(test_ready_without_a_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
