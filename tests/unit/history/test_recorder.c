/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/recorder.h"

#include <poll.h>
#include <string.h>
#include <sys/wait.h>

#include "base/folder.h"
#include "history/history.h"

/* A recorder that cannot begin says why, whatever this machine permits. */
static void test_says_why(void **state)
{
	const struct history_options options = { .rate_hz = 97 };
	struct recorder recorder = { .name = "none/a.prof" };
	struct err err;
	int status;

	assert_int_equal(recorder_start(&recorder, &options, *state, &err), 0);
	assert_int_equal(waitpid(recorder.pid, &status, 0), recorder.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	recorder_hear(&recorder);
	assert_false(recorder.state.ready);
	assert_true(recorder.state.error[0]);
	recorder_done(&recorder);
	assert_int_equal(recorder.pid, 0);
	recorder_done(&recorder);
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH_FOLDER(test_says_why) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
