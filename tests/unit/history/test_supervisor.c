/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "base/folder.h"
#include "history/history.h"

static const struct history_options options = { .rate_hz = 97, .segment_s = 600 };

/* What it writes for who started it. */
static int run(const char *folder, char *ret_why, struct err *err)
{
	int ends[2], rc;
	ssize_t got;

	assert_int_equal(pipe(ends), 0);
	rc = supervisor_run(&options, folder, ends[1], err);
	got = read(ends[0], ret_why, 600);
	assert_true(got >= 0);
	ret_why[got] = '\0';
	close(ends[0]);
	return rc;
}

static void test_cannot_begin(void **state)
{
	char path[128], why[601];
	struct err err;
	int lock;

	assert_int_equal(run("/nowhere", why, &err), -ENOENT);
	assert_string_equal(why, err.text);
	/* Another has the folder. */
	snprintf(path, sizeof(path), "%s/lock", (const char *)*state);
	lock = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	assert_int_equal(run(*state, why, &err), -EALREADY);
	assert_string_equal(why, err.text);
	close(lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH_FOLDER(test_cannot_begin) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
