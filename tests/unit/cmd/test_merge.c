/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/fixture.h"

#include "cmd/run_command.h"

static void test_words(void **state)
{
	const struct folder *folder = *state;
	char all[128];

	snprintf(all, sizeof(all), "%s/all.prof", folder->name);
	fixture_write(folder->path, 10);
	EXPECT(2, merge, "merge");
	EXPECT(2, merge, "merge", folder->path);
	EXPECT(2, merge, "merge", "-x");
	EXPECT(0, merge, "merge", "-q", "-o", all, folder->path, folder->path);
	assert_int_equal(fixture_sql_number(all, "SELECT sum(samples) FROM block"), 20);
	/* The file that is written is none of those that are read, also not by way of their folder. */
	EXPECT(1, merge, "merge", "-o", all, folder->name);
	EXPECT(1, merge, "merge", "-o", all, folder->path, all);
	assert_int_equal(fixture_sql_number(all, "SELECT sum(samples) FROM block"), 20);
	snprintf(all, sizeof(all), "%s/both", folder->name);
	EXPECT(0, merge, "merge", "-o", all, folder->name);
	assert_int_equal(fixture_sql_number(all, "SELECT sum(samples) FROM block"), 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_words, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
