/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/control.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/folder.h"

/* Answers "echo X" by X at once, and "wait" later. */
static void answer(void *context, const char *verb, bool owner, struct buf *text)
{
	int *asked = context;

	++*asked;
	assert_true(owner);
	if (strncmp(verb, "echo ", 5) == 0)
		buf_printf(text, "ok\n%s", verb + 5);
	else if (strcmp(verb, "wait") != 0)
		buf_add_str(text, "error\nno such verb");
}

struct question {
	const char *folder, *verb;
	struct buf answer;
	struct err err;
	int rc;
};

static void *ask(void *context)
{
	struct question *question = context;

	question->rc =
		control_ask(question->folder, question->verb, &question->answer, &question->err);
	return NULL;
}

/* Serves until so many have asked, and then answers those that wait. */
static void serve(struct control *control, int wanted)
{
	struct pollfd polls[CONTROL_POLLS];
	int asked = 0;

	while (asked < wanted) {
		control_poll(control, polls);
		poll(polls, CONTROL_POLLS, 100);
		control_serve(control, clock_ns(), answer, &asked);
	}
	control_answer(control, "stop", "ok\nnever");
	control_answer(control, "wait", "ok\nlater");
}

static void test_answers(void **state)
{
	struct question questions[] = { { .folder = *state, .verb = "echo a" },
					{ .folder = *state, .verb = "wait" },
					{ .folder = *state, .verb = "nothing" } };
	struct control *control;
	pthread_t threads[3];
	struct err err;

	assert_int_equal(control_ask(*state, "echo", &questions[0].answer, &err), -ESRCH);
	assert_int_equal(control_open(*state, &control, &err), 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, ask, &questions[i]);
	serve(control, 3);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(questions[0].rc, 0);
	assert_string_equal(buf_text(&questions[0].answer), "a");
	assert_int_equal(questions[1].rc, 0);
	assert_string_equal(buf_text(&questions[1].answer), "later");
	assert_int_equal(questions[2].rc, -EIO);
	assert_string_equal(questions[2].err.text, "no such verb");
	for (int i = 0; i < 3; i++)
		buf_done(&questions[i].answer);
	control_close(control);
	control_close(NULL);
}

static int connect_raw(const char *folder)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/control", folder);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Clients that say nothing, half a line, too much or nonsense are left, and others are served. */
static void test_bad_clients(void **state)
{
	static const char *const said[] = { "", "prospect 1 ec", "GET / HTTP/1.1\n",
					    "prospect 2 echo a\n" };
	char much[1000];
	struct question question = { .folder = *state, .verb = "echo b" };
	struct control *control;
	uint64_t now_ns = clock_ns();
	pthread_t thread;
	struct err err;
	int asked = 0;

	memset(much, 'x', sizeof(much));
	assert_int_equal(control_open(*state, &control, &err), 0);
	for (int i = 0; i < 3 * CONTROL_CLIENTS; i++) {
		const char *text = said[i % 4];
		int fd = connect_raw(*state);

		(void)!send(fd, i % 5 ? text : much, i % 5 ? strlen(text) : sizeof(much),
			    MSG_NOSIGNAL);
		control_serve(control, now_ns, answer, &asked);
		control_serve(control, now_ns, answer, &asked);
		if (i % 2)
			close(fd);
		/* Two seconds pass. */
		now_ns += 2 * NS_PER_S;
		control_serve(control, now_ns, answer, &asked);
	}
	assert_int_equal(asked, 0);
	pthread_create(&thread, NULL, ask, &question);
	serve(control, 1);
	pthread_join(thread, NULL);
	assert_string_equal(buf_text(&question.answer), "b");
	buf_done(&question.answer);
	control_close(control);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(test_answers),
		WITH_FOLDER(test_bad_clients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
