/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/sent_marks.h"

#include <string.h>
#include <sys/socket.h>

#include "base/folder.h"

/* A recorder that this process plays: *ret_end is its end. */
static struct recorder recorder_of(pid_t pid, int *ret_end)
{
	int ends[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
	*ret_end = ends[1];
	return (struct recorder){ .pid = pid, .talk = ends[0] };
}

static void expect_order(int end, uint64_t time_ns, const char *text)
{
	struct record_order order;

	assert_int_equal(recv(end, &order, sizeof(order), 0), sizeof(order));
	assert_int_equal(order.kind, RECORD_MARK);
	assert_int_equal(order.time_ns, time_ns);
	assert_string_equal(order.text, text);
}

/* What the first recorder has not written when it ends goes to the second, and nothing else does. */
static void test_another_recorder(void **state)
{
	struct sent_marks marks = { { 0 } };
	int end, other_end;
	struct recorder one = recorder_of(7, &end), other = recorder_of(8, &other_end);
	struct recorder none = { 0 };

	(void)state;
	assert_true(sent_marks_send(&marks, &none));
	assert_true(sent_marks_add(&marks, 100, "a"));
	assert_false(sent_marks_send(&marks, &none));
	assert_true(sent_marks_send(&marks, &one));
	assert_true(sent_marks_add(&marks, 200, "b"));
	assert_true(sent_marks_add(&marks, 300, "c"));
	assert_true(sent_marks_send(&marks, &one));
	expect_order(end, 100, "a");
	expect_order(end, 200, "b");
	one.state.marks = 1;
	sent_marks_settle(&marks, &one);
	sent_marks_settle(&marks, &one);
	assert_int_equal(marks.list.count, 2);
	sent_marks_end(&marks, one.pid);
	assert_true(sent_marks_send(&marks, &other));
	expect_order(other_end, 200, "b");
	expect_order(other_end, 300, "c");
	other.state.marks = 2;
	sent_marks_settle(&marks, &other);
	assert_int_equal(marks.list.count, 0);
	vec_free(&marks.list);
	recorder_done(&one);
	recorder_done(&other);
	close(end);
	close(other_end);
}

/* A recorder that does not read gets them later, in their order; there is a limit to what waits. */
static void test_many(void **state)
{
	struct sent_marks marks = { { 0 } };
	uint64_t got = 0;
	int end;
	struct recorder one = recorder_of(7, &end);
	struct record_order order;

	(void)state;
	for (uint64_t i = 0; i < SENT_MARKS_MAX; i++)
		assert_true(sent_marks_add(&marks, i, "x"));
	assert_false(sent_marks_add(&marks, 0, "too many"));
	assert_false(sent_marks_send(&marks, &one));
	while (got < SENT_MARKS_MAX) {
		while (recv(end, &order, sizeof(order), 0) > 0)
			assert_int_equal(order.time_ns, got++);
		sent_marks_send(&marks, &one);
	}
	one.state.marks = SENT_MARKS_MAX;
	sent_marks_settle(&marks, &one);
	assert_int_equal(marks.list.count, 0);
	vec_free(&marks.list);
	recorder_done(&one);
	close(end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_recorder),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
