/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/folder.h"

#include "cmd/commands.h"

/* The exit status of a command. */
static int run(const struct command *command, const char *const *words)
{
	char *argv[8];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)words[argc];
	argv[argc] = NULL;
	return command->run(argc, argv);
}

#define EXPECT(status, command, ...)                                                          \
	assert_int_equal(run(&command_##command, (const char *const[]){ __VA_ARGS__, NULL }), \
			 status)

static void test_words(void **state)
{
	EXPECT(2, status, "status", "make");
	EXPECT(2, status, "status", "--format", "csv");
	EXPECT(0, status, "status", "--history", *state);
	EXPECT(0, status, "status", "--format", "json", "--history", *state);
	EXPECT(0, status, "status", "--format", "openmetrics", "--history", *state);
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH_FOLDER(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
