/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/fixture.h"

#include "cmd/commands.h"

/* The command's exit status. */
static int run(const char *const *words)
{
	char *argv[8];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)words[argc];
	argv[argc] = NULL;
	return command_merge.run(argc, argv);
}

static void test_words(void **state)
{
	const struct folder *folder = *state;
	char all[128];

	snprintf(all, sizeof(all), "%s/all.prof", folder->name);
	fixture_write(folder->path, 10);
	assert_int_equal(run((const char *const[]){ "merge", NULL }), 2);
	assert_int_equal(run((const char *const[]){ "merge", folder->path, NULL }), 2);
	assert_int_equal(run((const char *const[]){ "merge", "-x", NULL }), 2);
	assert_int_equal(run((const char *const[]){ "merge", "-q", "-o", all, folder->path,
						    folder->path, NULL }),
			 0);
	assert_int_equal(fixture_sql_number(all, "SELECT sum(samples) FROM block"), 20);
	/* The file that is written is none of those that are read, also not by way of their folder. */
	assert_int_equal(run((const char *const[]){ "merge", "-o", all, folder->name, NULL }), 1);
	assert_int_equal(run((const char *const[]){ "merge", "-o", all, folder->path, all, NULL }),
			 1);
	assert_int_equal(fixture_sql_number(all, "SELECT sum(samples) FROM block"), 20);
	snprintf(all, sizeof(all), "%s/both", folder->name);
	assert_int_equal(run((const char *const[]){ "merge", "-o", all, folder->name, NULL }), 0);
	assert_int_equal(fixture_sql_number(all, "SELECT sum(samples) FROM block"), 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_words, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
