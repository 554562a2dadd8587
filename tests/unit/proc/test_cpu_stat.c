/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/cpu_stat.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static void test_line_of_all_processors(void **state)
{
	static const char text[] = "cpu  1 2 3 4 5 6 7 8 9 10\n"
				   "cpu0 100 200 300 400 500 600 700 800 900 1000\n"
				   "intr 5\n";
	struct cpu_stat stat;

	(void)state;
	assert_int_equal(cpu_stat_parse(text, 100, NULL, 0, &stat), 0);
	assert_int_equal(stat.user, 10000000);
	assert_int_equal(stat.nice, 20000000);
	assert_int_equal(stat.system, 30000000);
	assert_int_equal(stat.idle, 40000000);
	assert_int_equal(stat.iowait, 50000000);
	assert_int_equal(stat.irq, 60000000);
	assert_int_equal(stat.softirq, 70000000);
	assert_int_equal(stat.steal, 80000000);
	assert_int_equal(cpu_stat_busy(&stat), (1 + 2 + 3 + 6 + 7) * 10000000);
	assert_int_equal(cpu_stat_sum(&stat), 36 * 10000000); /* guest time is in user already */
}

static void test_line_need_not_be_first_nor_whole(void **state)
{
	struct cpu_stat stat;

	(void)state;
	assert_int_equal(cpu_stat_parse("cpu0 9 9 9 9\ncpu  1 2 3 4\n", 1000, NULL, 0, &stat), 0);
	assert_int_equal(stat.user, 1000000);
	assert_int_equal(stat.idle, 4000000);
	assert_int_equal(stat.steal, 0);
}

static void test_what_is_no_account(void **state)
{
	static const char *const texts[] = {
		"",
		"cpu",
		"cpu ",
		"cpu  1 2 3\n",
		"cpu0 1 2 3 4\n",
		"cpu  -1 2 3 4\n",
		"cpux 1 2 3 4\n",
		"xcpu  1 2 3 4\n",
	};
	struct cpu_stat stat = { .user = 77 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(cpu_stat_parse(texts[i], 100, NULL, 0, &stat), -EINVAL);
	assert_int_equal(cpu_stat_parse("cpu  1 2 3 4\n", 0, NULL, 0, &stat), -EINVAL);
	assert_int_equal(stat.user, 77);
}

static void test_lines_of_some_processors(void **state)
{
	static const char text[] = "cpu  9 9 9 9\n"
				   "cpu1 1 2 3 4\n"
				   "cpu2 5 5 5 5\n"
				   "cpu10 10 20 30 40\n";
	static const int some[] = { 1, 10 }, gone[] = { 1, 3 };
	struct cpu_stat stat;

	(void)state;
	assert_int_equal(cpu_stat_parse(text, 1000, some, 2, &stat), 0);
	assert_int_equal(stat.user, 11000000);
	assert_int_equal(stat.idle, 44000000);
	assert_int_equal(cpu_stat_parse(text, 1000, gone, 2, &stat), -EINVAL);
	assert_int_equal(stat.user, 11000000);
}

static void test_difference_never_runs_backwards(void **state)
{
	struct cpu_stat earlier = { .user = 5, .system = 4, .idle = 10, .steal = 1 };
	struct cpu_stat later = { .user = 8, .system = 3, .idle = 30, .steal = 1 };
	struct cpu_stat delta = cpu_stat_since(&earlier, &later);

	(void)state;
	assert_int_equal(delta.user, 3);
	assert_int_equal(delta.idle, 20);
	assert_int_equal(delta.system, 0);
	assert_int_equal(delta.steal, 0);
	assert_int_equal(cpu_stat_sum(&delta), 23);
}

/* A CPU waits for I/O for 5 s, then for 2 s for nothing: all of it becomes idle when the I/O ends.
 */
static void test_waiting_that_turns_out_idle(void **state)
{
	struct cpu_stat earlier = { .idle = 10, .iowait = 5 };
	struct cpu_stat later = { .idle = 17, .iowait = 0 };
	struct cpu_stat delta = cpu_stat_since(&earlier, &later);

	(void)state;
	assert_int_equal(delta.idle, 2);
	assert_int_equal(delta.iowait, 0);
	/* More than there was idle: it moved to another column in between. */
	later.idle = 12;
	delta = cpu_stat_since(&earlier, &later);
	assert_int_equal(cpu_stat_sum(&delta), 0);
}

/* In 100 s of two CPUs one runs all the time, but for 20 s that are stolen; the other idles, and 30
 * s of that it was to wake and had no CPU of the host. */
static void test_steal_while_idle_counts_once(void **state)
{
	struct cpu_stat delta = { .user = 80, .idle = 100, .steal = 50 };

	(void)state;
	assert_int_equal(cpu_stat_steal(&delta, 200), 20);
	/* Nothing is twice. */
	delta.idle = 70;
	assert_int_equal(cpu_stat_steal(&delta, 200), 50);
	/* What is too much beyond it is a matter of ticks. */
	delta.user = 200;
	assert_int_equal(cpu_stat_steal(&delta, 200), 0);
}

/* awk's view of the same file, taken between two of ours, lies between them. */
static void test_agrees_with_awk(void **state)
{
	static const char command[] = "awk '$1 == \"cpu\" { print $2, $4, $9; exit }' /proc/stat";
	uint64_t user, system, steal;
	uint64_t tick_ns = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	struct cpu_stat before, after;
	FILE *pipe;

	(void)state;
	assert_int_equal(cpu_stat_read(NULL, 0, &before, NULL), 0);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%" SCNu64 " %" SCNu64 " %" SCNu64, &user, &system, &steal),
			 3);
	pclose(pipe);
	assert_int_equal(cpu_stat_read(NULL, 0, &after, NULL), 0);
	assert_in_range(user * tick_ns, before.user, after.user);
	assert_in_range(system * tick_ns, before.system, after.system);
	assert_in_range(steal * tick_ns, before.steal, after.steal);
	assert_true(cpu_stat_busy(&after) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line_of_all_processors),
		cmocka_unit_test(test_line_need_not_be_first_nor_whole),
		cmocka_unit_test(test_what_is_no_account),
		cmocka_unit_test(test_lines_of_some_processors),
		cmocka_unit_test(test_difference_never_runs_backwards),
		cmocka_unit_test(test_waiting_that_turns_out_idle),
		cmocka_unit_test(test_steal_while_idle_counts_once),
		cmocka_unit_test(test_agrees_with_awk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
