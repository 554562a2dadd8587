/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/history.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "base/folder.h"

static void test_folder(void **state)
{
	char path[HISTORY_PATH_MAX], wanted[HISTORY_PATH_MAX + 1];
	struct err err;

	(void)state;
	assert_int_equal(history_folder("some/where", path, &err), 0);
	assert_string_equal(path, "some/where");
	memset(wanted, 'x', sizeof(wanted) - 1);
	wanted[sizeof(wanted) - 1] = '\0';
	assert_int_equal(history_folder(wanted, path, &err), -ENAMETOOLONG);
	if (geteuid() == 0) {
		assert_int_equal(history_folder(NULL, path, &err), 0);
		assert_string_equal(path, "/var/lib/prospect");
	}
}

/* What is printed when nothing runs. */
static void expect_status(const char *folder, enum history_format format, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	assert_int_equal(history_print_status(folder, format, out, &err), 0);
	fclose(out);
	if (!strstr(text, wanted))
		fail_msg("'%s' is not in: %s", wanted, text);
	free(text);
}

static void test_nothing_runs(void **state)
{
	char path[128];
	struct err err;

	assert_int_equal(history_stop(*state, &err), -ESRCH);
	assert_int_equal(history_pause(*state, &err), -ESRCH);
	assert_int_equal(history_resume(*state, &err), -ESRCH);
	assert_int_equal(history_restart(*state, &err), -ESRCH);
	assert_int_equal(history_reload(*state, &err), -ESRCH);
	assert_int_equal(history_flush(*state, &err), -ESRCH);
	assert_int_equal(history_mark(*state, "text", &err), -ESRCH);
	expect_status(*state, HISTORY_TEXT, "off: ");
	expect_status(*state, HISTORY_TEXT, ": 0 segments\n");
	expect_status("/nowhere", HISTORY_TEXT, "/nowhere: 0 segments\n");
	expect_status(*state, HISTORY_JSON, "\"runs\":false");
	expect_status(*state, HISTORY_JSON, "\"oldest\":null");
	snprintf(path, sizeof(path), "%s/20261129T104000Z.prof", (const char *)*state);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	expect_status(*state, HISTORY_TEXT, ": 1 segment since ");
	expect_status(*state, HISTORY_JSON, "\"oldest\":1795948800");
	expect_status(*state, HISTORY_OPENMETRICS, "\nprospect_up 0\n");
	expect_status(*state, HISTORY_OPENMETRICS, "\nprospect_history_segments 1\n");
	expect_status(*state, HISTORY_OPENMETRICS,
		      "# TYPE prospect_history_oldest_seconds gauge\n"
		      "# UNIT prospect_history_oldest_seconds seconds\n"
		      "# HELP prospect_history_oldest_seconds When the oldest begins, since 1970.\n"
		      "prospect_history_oldest_seconds 1795948800\n# EOF\n");
}

static void make(const char *folder, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	close(open(path, O_WRONLY | O_CREAT, 0600));
}

/* Only what a supervisor made is removed, and not while one runs. */
static void test_reset(void **state)
{
	char path[128];
	struct err err;
	int lock;

	make(*state, "20261129T104000Z.prof");
	assert_int_equal(history_reset("/nowhere", &err), -ENOENT);
	assert_int_equal(history_reset(*state, &err), -ENOENT);
	assert_non_null(strstr(err.text, "it is no history"));
	make(*state, "lock");
	snprintf(path, sizeof(path), "%s/lock", (const char *)*state);
	lock = open(path, O_RDWR);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	assert_int_equal(history_reset(*state, &err), -EBUSY);
	expect_status(*state, HISTORY_TEXT, ": 1 segment since ");
	close(lock);
	assert_int_equal(history_reset(*state, &err), 0);
	expect_status(*state, HISTORY_TEXT, ": 0 segments\n");
}

static void test_marks_are_limited(void **state)
{
	char text[2000];
	struct err err;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(history_mark(*state, text, &err), -EINVAL);
	assert_int_equal(history_mark(*state, "", &err), -EINVAL);
	assert_int_equal(history_mark(*state, "a\x1b[m", &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folder),
		WITH_FOLDER(test_nothing_runs),
		WITH_FOLDER(test_reset),
		WITH_FOLDER(test_marks_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
