/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/run_command.h"

static void test_words(void **state)
{
	EXPECT(2, mark, "mark", "--history", *state);
	EXPECT(2, mark, "mark", "--history", *state, "");
	EXPECT(2, mark, "mark", "--history", *state, "two\nlines");
	EXPECT(2, mark, "mark", "--history", *state, "two", "words");
	EXPECT(1, mark, "mark", "--history", *state, "two words");
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH_FOLDER(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
