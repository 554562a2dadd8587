/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/recorder.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
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

/* Whole packets go both ways; nothing can be told to one that is gone. */
static void test_talk(void **state)
{
	const struct record_order order = { .kind = RECORD_END, .time_ns = 77 };
	struct recorder_state said[] = {
		{ .ready = true, .samples = 1 },
		{ .ready = true, .samples = 2, .marks = 3, .flushed_ns = 4 }
	};
	struct recorder recorder = { .pid = 7 }, none = { 0 };
	struct record_order got;
	int ends[2];

	(void)state;
	assert_false(recorder_tell(&none, &order));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	recorder.talk = ends[0];
	assert_true(recorder_tell(&recorder, &order));
	assert_int_equal(recv(ends[1], &got, sizeof(got), 0), sizeof(got));
	assert_true(got.kind == RECORD_END && got.time_ns == 77);
	memset(said[1].error, 'x', sizeof(said[1].error));
	assert_int_equal(send(ends[1], &said[0], sizeof(said[0]), 0), sizeof(said[0]));
	assert_int_equal(send(ends[1], &said[1], sizeof(said[1]), 0), sizeof(said[1]));
	recorder_hear(&recorder);
	assert_int_equal(recorder.state.samples, 2);
	assert_int_equal(recorder.state.marks, 3);
	assert_int_equal(recorder.state.flushed_ns, 4);
	assert_int_equal(strlen(recorder.state.error), sizeof(said[1].error) - 1);
	/* It says half of something, and ends. */
	assert_int_equal(send(ends[1], &said[0], 5, 0), 5);
	close(ends[1]);
	recorder_hear(&recorder);
	assert_int_equal(recorder.state.samples, 2);
	assert_false(recorder_tell(&recorder, &order));
	recorder_done(&recorder);
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH_FOLDER(test_says_why),
					    cmocka_unit_test(test_talk) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
