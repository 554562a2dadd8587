/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/folder.h"
#include "history/control.h"
#include "history/supervisor_parts.h"

/* What is answered at once; "" if it is answered later. */
static void expect(struct supervisor *supervisor, const char *question, bool owner,
		   const char *wanted)
{
	struct buf answer = { 0 };

	questions_take(supervisor, question, owner, &answer);
	if (wanted[0] ? !strstr(buf_text(&answer), wanted) : answer.size > 0)
		fail_msg("%s: %s", question, buf_text(&answer));
	buf_done(&answer);
}

/* All may ask, mark and flush; the rest is the owner's. */
static void test_who_may(void **state)
{
	static const char *const owners[] = { "stop",  "pause",	  "resume",
					      "reset", "restart", "reload" };
	struct supervisor supervisor = { .folder_fd = -1 };

	(void)state;
	for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++)
		expect(&supervisor, owners[i], false, "error\nonly root");
	assert_false(supervisor.stopping || supervisor.paused || supervisor.cut_wanted);
	expect(&supervisor, "status", false, "ok\npid ");
	expect(&supervisor, "status", false, "\nstate starting\n");
	expect(&supervisor, "flush", false, "");
	expect(&supervisor, "stopx", true, "error\nthe supervisor does not know this");
	expect(&supervisor, "sto", true, "error\nthe supervisor does not know this");
	expect(&supervisor, "", true, "error\nthe supervisor does not know this");
	expect(&supervisor, "pause", true, "");
	assert_true(supervisor.paused);
	expect(&supervisor, "status", false, "\nstate paused\n");
	expect(&supervisor, "resume", true, "ok\n");
	assert_false(supervisor.paused);
	expect(&supervisor, "stop", true, "");
	assert_true(supervisor.stopping);
}

static void test_marks(void **state)
{
	struct supervisor supervisor = { .folder_fd = -1 };
	char question[MARK_MAX_BYTES + 10] = "mark ";

	(void)state;
	expect(&supervisor, "mark", false, "error\na mark without a text");
	expect(&supervisor, "mark ", false, "error\na mark without a text");
	memset(question + 5, 'x', MARK_MAX_BYTES + 1);
	expect(&supervisor, question, false, "error\na mark without a text, or with one that");
	question[5 + MARK_MAX_BYTES] = '\0';
	expect(&supervisor, question, false, "ok\n");
	expect(&supervisor, "mark two  words", false, "ok\n");
	assert_int_equal(supervisor.marks.list.count, 2);
	assert_string_equal(supervisor.marks.list.items[1].order.text, "two  words");
	supervisor.paused = true;
	expect(&supervisor, "mark x", true, "error\nnothing is recorded now");
	supervisor.paused = false;
	for (size_t i = 2; i < SENT_MARKS_MAX; i++)
		expect(&supervisor, "mark x", true, "ok\n");
	expect(&supervisor, "mark x", true, "error\ntoo many marks at once");
	vec_free(&supervisor.marks.list);
}

static int read_fresh(void *context, struct history_options *ret_options, struct err *err)
{
	const double *rate_hz = context;

	if (*rate_hz <= 0)
		return err_set(err, -EINVAL, "file:3: wrong");
	*ret_options = (struct history_options){ .rate_hz = *rate_hz, .folder = "elsewhere" };
	return 0;
}

/* New options wait for the next recorder; where they are wrong, all stay. */
static void test_reread(void **state)
{
	double rate_hz = 0;
	struct supervisor supervisor = { .options = { .rate_hz = 97, .folder = "here" } };

	(void)state;
	expect(&supervisor, "reload", true, "error\nthere is no file");
	supervisor.options.reread = read_fresh;
	supervisor.options.reread_context = &rate_hz;
	expect(&supervisor, "reload", true, "error\nfile:3: wrong");
	assert_true(supervisor.options.rate_hz > 96 && !supervisor.cut_wanted);
	rate_hz = 49;
	expect(&supervisor, "reload", true, "");
	assert_true(supervisor.options.rate_hz < 50 && supervisor.cut_wanted && supervisor.cut_ns);
	assert_string_equal(supervisor.options.folder, "here");
	supervisor.paused = true;
	expect(&supervisor, "reload", true, "ok\n");
}

/* What was asked for is done when recorders say so. */
static void test_what_is_awaited(void **state)
{
	struct supervisor supervisor = { .folder_fd = -1 };
	struct err err;

	assert_int_equal(control_open(*state, &supervisor.control, &err), 0);
	supervisor.current = (struct recorder){ .pid = 1, .talk = -1, .from_ns = 10 };
	supervisor.next = (struct recorder){ .pid = 1, .talk = -1, .from_ns = 1000 };
	supervisor.flush_ns = 100;
	supervisor.current.state.flushed_ns = 99;
	questions_answer(&supervisor);
	assert_int_equal(supervisor.flush_ns, 100);
	supervisor.current.state.flushed_ns = 100;
	questions_answer(&supervisor);
	assert_int_equal(supervisor.flush_ns, 0);
	/* It cannot write, or has failed. */
	supervisor.flush_ns = 200;
	strcpy(supervisor.problem, "an older one");
	expect(&supervisor, "status", false, "\nproblem an older one\n");
	strcpy(supervisor.current.state.error, "disk full");
	expect(&supervisor, "status", false, "\nproblem disk full\n");
	/* That was before: another try may succeed. */
	questions_answer(&supervisor);
	assert_int_equal(supervisor.flush_ns, 200);
	supervisor.current.state.flushes = 1;
	questions_answer(&supervisor);
	assert_int_equal(supervisor.flush_ns, 0);
	supervisor.flush_ns = 200;
	questions_fail(&supervisor, &supervisor.next);
	assert_int_equal(supervisor.flush_ns, 200);
	questions_fail(&supervisor, &supervisor.current);
	assert_int_equal(supervisor.flush_ns, 0);
	/* A recorder of the time of the cut is at work. */
	supervisor.cut_ns = 1000;
	questions_answer(&supervisor);
	assert_int_equal(supervisor.cut_ns, 1000);
	supervisor.next.state.ready = true;
	questions_answer(&supervisor);
	assert_int_equal(supervisor.cut_ns, 0);
	control_close(supervisor.control);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_may),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_reread),
		WITH_FOLDER(test_what_is_awaited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
