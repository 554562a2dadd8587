/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "tools.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static void test_the_text(void **state)
{
	static const struct {
		const char *text;
		int64_t shift_ns; /* 0: refused */
	} cases[] = {
		{ "monotonic      500000         0\nboottime            7         0\n",
		  500000000000000 },
		{ "boottime 7 0\nmonotonic -3 250000000\n", -2750000000 },
		{ "boottime 7 0\n", 0 },
		{ "monotonic 3\nboottime", 0 },
		{ "monotonic 9223372036854775807 0\n", 0 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t shift_ns = 0;

		assert_int_equal(clock_parse_shift(cases[i].text, &shift_ns),
				 cases[i].shift_ns != 0);
		assert_int_equal(shift_ns, cases[i].shift_ns);
	}
}

static void write_shift(const char *text)
{
	int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(1);
	close(fd);
}

struct told {
	pid_t pid;
	uint64_t ns; /* CLOCK_MONOTONIC as it reads it */
};

/* Its child is in a namespace of its own, and says so in @result; it is not. */
static void make_namespace(int result)
{
	if (unshare(CLONE_NEWTIME) < 0)
		_exit(77);
	write_shift("monotonic 5000 1");
	if (fork() == 0) {
		struct told told = { getpid(), clock_read(CLOCK_MONOTONIC) };

		if (write(result, &told, sizeof(told)) != sizeof(told))
			_exit(1);
		close(result);
	}
	pause();
}

static void test_processes(void **state)
{
	int64_t ours_ns = clock_shift_of(getpid());
	uint64_t before_ns = clock_ns();
	struct told told;
	pid_t maker;
	int result[2];

	(void)state;
	assert_true(clock_is_known());
	assert_true(clock_read(CLOCK_MONOTONIC) - (uint64_t)ours_ns >= before_ns);
	assert_true(clock_read(CLOCK_MONOTONIC) - (uint64_t)ours_ns <= clock_ns());
	assert_int_equal(pipe2(result, O_CLOEXEC), 0);
	maker = fork();
	if (maker == 0)
		make_namespace(result[1]);
	close(result[1]);
	if (read(result[0], &told, sizeof(told)) != sizeof(told)) {
		waitpid(maker, NULL, 0);
		print_message("no time namespace can be made here\n");
		skip();
	}
	assert_int_equal(clock_shift_of(maker), ours_ns);
	assert_int_equal(clock_shift_of(told.pid), INT64_C(5000000000001));
	assert_true(told.ns - UINT64_C(5000000000001) >= before_ns);
	assert_true(told.ns - UINT64_C(5000000000001) <= clock_ns());
	kill(told.pid, SIGKILL);
	kill(maker, SIGKILL);
	waitpid(maker, NULL, 0);
	assert_int_equal(clock_shift_of(maker), ours_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_text),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
