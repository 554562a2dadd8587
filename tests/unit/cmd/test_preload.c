/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "cmd/run_command.h"
#include "preload/preload_wire.h"

static void test_words(void **state)
{
	(void)state;
	EXPECT(2, preload, "preload");
	EXPECT(2, preload, "preload", "--clock", "real", "true");
	EXPECT(2, preload, "preload", "-F", "0", "true");
	EXPECT(2, preload, "preload", "-o", "-", "true");
	EXPECT(2, preload, "preload", "--shell", "true");
	EXPECT(2, preload, "preload", "--off", "true");
	EXPECT(2, preload, "preload", "--shell", "--off");
}

static void test_shell_begins_and_ends_once(void **state)
{
	(void)state;
	unsetenv(PRELOAD_VARIABLE);
	EXPECT(1, preload, "preload", "--off");
	setenv(PRELOAD_VARIABLE, "/dev/shm/none", 1);
	EXPECT(1, preload, "preload", "--off"); /* by whom, is not known */
	EXPECT(1, preload, "preload", "--shell");
	/* A process that has ended. */
	setenv("PROSPECT_PRELOAD_PID", "4194304", 1);
	EXPECT(1, preload, "preload", "--off");
	unsetenv(PRELOAD_VARIABLE);
	unsetenv("PROSPECT_PRELOAD_PID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_shell_begins_and_ends_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
