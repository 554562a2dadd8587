/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "cmd/run_command.h"

static void test_words(void **state)
{
	EXPECT(2, start, "start", "make");
	EXPECT(2, start, "start", "--keep", "7");
	EXPECT(2, start, "start", "--keep", "-1d");
	EXPECT(2, start, "start", "--max-size", "2X");
	EXPECT(2, start, "start", "--max-size", "2GB");
	EXPECT(2, start, "start", "--max-size", "-1");
	EXPECT(2, start, "start", "--segment", "1");
	EXPECT(1, start, "start", "--keep", "1.5h", "--max-size", "0.5G", "--history",
	       "/nowhere/below");
	(void)state;
}

/* What a file of settings leads to: a folder that cannot be made, or an error that has this. */
static void expect_settings(const char *folder, const char *text, const char *wanted)
{
	char path[128], said[600] = "";
	FILE *file, *errors = tmpfile();
	int saved = dup(STDERR_FILENO);

	snprintf(path, sizeof(path), "%s/settings", folder);
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
	fflush(stderr);
	dup2(fileno(errors), STDERR_FILENO);
	EXPECT(strstr(wanted, "nowhere") ? 1 : 2, start, "start", "--settings", path, "--history",
	       "/nowhere/below");
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_true(pread(fileno(errors), said, sizeof(said) - 1, 0) > 0);
	fclose(errors);
	if (!strstr(said, wanted))
		fail_msg("%s: %s", text, said);
}

/* Lines are read as options of the command line are, and named when they are wrong. */
static void test_settings(void **state)
{
	expect_settings(*state, "", "/nowhere");
	expect_settings(*state,
			"# all of them\n\n  rate = 49\nsegment=5m\r\noff-cpu = yes\n"
			"keep = 12h\nmax-size = 1G\noff-cpu = no",
			"/nowhere");
	expect_settings(*state, "rate = 49\n\nrate = fast\n", "settings:3: invalid --rate");
	expect_settings(*state, "rate = 1000000", "settings:1: invalid --rate");
	expect_settings(*state, "rate 49", "settings:1: expected 'option = value'");
	expect_settings(*state, "#\nra = 49", "settings:2: unknown option 'ra'");
	expect_settings(*state, "help = yes", "settings:1: unknown option 'help'");
	expect_settings(*state, "history = /tmp", "settings:1: unknown option 'history'");
	expect_settings(*state, "off-cpu = 1", "settings:1: off-cpu '1': expected yes or no");
	expect_settings(*state, "off-cpu =", "settings:1: off-cpu '': expected yes or no");
	expect_settings(*state, "keep = 7", "settings:1: --keep '7'");
	expect_settings(*state, "max-size = 2X\nrate = 5", "settings:1: --max-size '2X'");
	EXPECT(2, start, "start", "--settings", "/nowhere/settings", "--history", "/nowhere/below");
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH_FOLDER(test_words), WITH_FOLDER(test_settings) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
