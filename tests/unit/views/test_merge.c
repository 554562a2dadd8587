/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/fixture.h"

#include <errno.h>
#include <sys/stat.h>

#include "views/views.h"

enum { SAMPLES = 5000 };

static void path_of(const struct folder *folder, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", folder->name, name);
}

/* What is in both counts twice, and has one row. */
static void test_sums(void **state)
{
	static const char *const sums[] = {
		"SELECT sum(samples) FROM block",
		"SELECT sum(weight) FROM total",
		"SELECT sum(samples) FROM total WHERE event = 1 AND mode = 1",
		"SELECT count FROM loss WHERE reason = 'ring_full'",
	};
	const struct folder *folder = *state;
	char one[128], two[128], all[128];
	const char *const inputs[] = { one, two };
	struct merge_options options = { .inputs = inputs, .input_count = 2, .output = all };
	struct merge_result result;
	struct err err;

	path_of(folder, "1.prof", one, sizeof(one));
	path_of(folder, "2.prof", two, sizeof(two));
	path_of(folder, "all.prof", all, sizeof(all));
	fixture_write(one, SAMPLES);
	fixture_write(two, SAMPLES / 2);
	fixture_sql(one, "UPDATE header SET value = 'a' WHERE name = 'boot_id';"
			 "DELETE FROM checksum WHERE name = 'header'");
	fixture_sql(two, "UPDATE header SET value = 'a' WHERE name = 'boot_id';"
			 "DELETE FROM checksum WHERE name = 'header'");
	assert_int_equal(merge_check(&options, &err), 0);
	if (merge_run(&options, &result, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(result.samples, SAMPLES + SAMPLES / 2);
	assert_int_equal(result.machines, 1);
	assert_string_equal(result.path, all);
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		assert_int_equal(fixture_sql_number(all, sums[i]),
				 fixture_sql_number(one, sums[i]) +
					 fixture_sql_number(two, sums[i]));
	assert_int_equal(fixture_sql_number(all, "SELECT count(*) FROM stack"),
			 fixture_sql_number(one, "SELECT count(*) FROM stack"));
	assert_int_equal(fixture_sql_number(all, "SELECT count(*) FROM process"),
			 fixture_sql_number(one, "SELECT count(*) FROM process"));
}

/* Nothing is left of what fails. */
static void test_errors(void **state)
{
	const struct folder *folder = *state;
	char all[128], none[128];
	const char *const inputs[] = { folder->path, none };
	struct merge_options options = { .inputs = inputs, .input_count = 1, .output = all };
	struct merge_result result;
	struct err err;
	struct stat st;

	path_of(folder, "all.prof", all, sizeof(all));
	path_of(folder, "none.prof", none, sizeof(none));
	fixture_write(folder->path, 10);
	assert_int_equal(merge_check(&options, &err), -EINVAL);
	options.input_count = 2;
	assert_int_equal(merge_check(&options, &err), 0);
	assert_int_equal(merge_run(&options, &result, &err), -ENOENT);
	assert_int_equal(stat(all, &st), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sums, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_errors, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
