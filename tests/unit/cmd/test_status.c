/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/run_command.h"

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
