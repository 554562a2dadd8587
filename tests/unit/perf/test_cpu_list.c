/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/cpu_list.h"

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

/* The list of the kernel in sysfs and the lines of /proc/stat say the same. */
static void the_same_without_sys(void **state)
{
	int *with, *without;
	size_t with_count, without_count;

	assert_int_equal(cpu_list_online(&with, &with_count, NULL), 0);
	assert_int_equal(
		cpu_list_online_in("/nonexistent", "/proc", &without, &without_count, NULL), 0);
	assert_int_equal(with_count, without_count);
	assert_memory_equal(with, without, with_count * sizeof(*with));
	free(with);
	free(without);
}

static void without_both_it_says_what_is_missing(void **state)
{
	struct err err;
	int *cpus;
	size_t count;

	assert_true(cpu_list_online_in("/nonexistent", "/nonexistent", &cpus, &count, &err) < 0);
	assert_non_null(strstr(err.text, "mount /sys or /proc"));
	assert_int_equal(cpu_list_room_in("/nonexistent", "/nonexistent"), 0);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* CPU 2 of a machine with holes is off. */
static void lines_of_proc_stat(void **state)
{
	char folder[] = "/tmp/prospect-test-XXXXXX", self[64], command[128];
	const int wanted[] = { 0, 1, 3, 17 };
	int *cpus;
	size_t count;

	assert_non_null(mkdtemp(folder));
	snprintf(self, sizeof(self), "%s/self", folder);
	assert_int_equal(mkdir(self, 0700), 0);
	write_file(folder, "stat",
		   "cpu  5 0 5 5\ncpu0 1 0 1 1\ncpu1 1 0 1 1\ncpu3 1 0 1 1\ncpu17 2 0 2 2\n"
		   "intr 8 1 2\nctxt 9\ncpufreq 1\n");
	assert_int_equal(cpu_list_online_in("/nonexistent", folder, &cpus, &count, NULL), 0);
	assert_int_equal(count, 4);
	assert_memory_equal(cpus, wanted, sizeof(wanted));
	free(cpus);
	write_file(self, "status",
		   "Name:\tx\nCpus_allowed:\t0000f,ffffffff\nMems_allowed:\tffff\n");
	assert_int_equal(cpu_list_room_in("/nonexistent", folder), 52);
	write_file(folder, "stat", "intr 8 1 2\n");
	assert_true(cpu_list_online_in("/nonexistent", folder, &cpus, &count, NULL) < 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* A table by CPU has a place for each, and none too many but what a hexadecimal digit brings. */
static void room_for_every_cpu(void **state)
{
	size_t room = cpu_list_room(), without = cpu_list_room_in("/nonexistent", "/proc");

	assert_true(room >= (size_t)sysconf(_SC_NPROCESSORS_CONF));
	assert_true(without >= room && without < room + 4);
}

static void choice_among_those_online(void **state)
{
	int *cpus, *online;
	size_t count, online_count;
	struct err err;

	(void)state;
	assert_int_equal(cpu_list_choose("-C", NULL, &online, &online_count, NULL), 0);
	assert_int_equal(cpu_list_choose("-C", "0,0", &cpus, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(cpus[0], 0);
	free(cpus);
	assert_true(cpu_list_has(online, online_count, 0));
	assert_false(cpu_list_has(online, online_count, CPU_LIST_MAX - 1));
	assert_int_equal(cpu_list_choose("-C", "0,8191", &cpus, &count, &err), -EINVAL);
	assert_string_equal(err.text, "-C: CPU 8191 is not online");
	assert_int_equal(cpu_list_choose("-C", "0-", &cpus, &count, &err), -EINVAL);
	free(online);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(as_many_online_as_libc_says),
		cmocka_unit_test(the_same_without_sys),
		cmocka_unit_test(without_both_it_says_what_is_missing),
		cmocka_unit_test(lines_of_proc_stat),
		cmocka_unit_test(choice_among_those_online),
		cmocka_unit_test(room_for_every_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
