/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/run_command.h"

static void test_words(void **state)
{
	EXPECT(2, stop, "stop", "make");
	EXPECT(1, stop, "stop", "--history", *state);
	EXPECT(1, pause, "pause", "--history", *state);
	EXPECT(1, resume, "resume", "--history", *state);
	EXPECT(1, flush, "flush", "--history", *state);
	EXPECT(1, restart, "restart", "--history", *state);
	EXPECT(1, reload, "reload", "--history", *state);
	EXPECT(1, reset, "reset", "--history", *state);
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH_FOLDER(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
