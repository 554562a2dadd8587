/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/last_act.h"

static void say(void *context)
{
	const int *fd = context;

	if (write(*fd, "x", 1) != 1)
		_exit(9);
}

/* What a child does that is to be asked by @number to end, and how it ended. */
struct ending {
	int number;
	bool cancels; /* the last act, before the signal comes */
	bool early;   /* the signal comes before the act is known */
	bool ignores; /* the signal */
	int status;
	ssize_t acts;
};

static void end_child(const struct ending *ending, int fd)
{
	struct last_act *last;

	/* Jobs in the background, and what nohup runs, ignore some. */
	signal(ending->number, ending->ignores ? SIG_IGN : SIG_DFL);
	last = last_act_new();
	if (ending->early)
		kill(getpid(), ending->number);
	last_act_begin(last, say, &fd);
	if (ending->cancels)
		last_act_cancel(last);
	kill(getpid(), ending->number);
	if (ending->ignores)
		last_act_cancel(last);
	else if (!ending->cancels)
		pause();
	_exit(0);
}

static void run(struct ending *ending)
{
	int ends[2];
	char bytes[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0)
		end_child(ending, ends[1]);
	close(ends[1]);
	assert_int_equal(waitpid(child, &ending->status, 0), child);
	ending->acts = read(ends[0], bytes, sizeof(bytes));
	close(ends[0]);
}

static void acts_once_and_ends_by_the_signal(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < 3; i++) {
		struct ending ending = { .number = numbers[i] };

		run(&ending);
		assert_true(WIFSIGNALED(ending.status));
		assert_int_equal(WTERMSIG(ending.status), numbers[i]);
		assert_int_equal(ending.acts, 1);
	}
}

/* What is to be removed may be there before it is known. */
static void signals_wait_until_the_act_is_known(void **state)
{
	struct ending ending = { .number = SIGHUP, .early = true };

	run(&ending);
	assert_true(WIFSIGNALED(ending.status));
	assert_int_equal(WTERMSIG(ending.status), SIGHUP);
	assert_int_equal(ending.acts, 1);
}

static void cancelled_it_only_ends(void **state)
{
	struct ending ending = { .number = SIGTERM, .cancels = true };

	run(&ending);
	assert_true(WIFSIGNALED(ending.status));
	assert_int_equal(ending.acts, 0);
}

static void ignored_signals_stay_ignored(void **state)
{
	struct ending ending = { .number = SIGINT, .ignores = true };

	run(&ending);
	assert_true(WIFEXITED(ending.status));
	assert_int_equal(WEXITSTATUS(ending.status), 0);
	assert_int_equal(ending.acts, 0);
}

static void blocked_signals_are_somebody_elses(void **state)
{
	sigset_t set, now;
	struct last_act *last;
	int number = 0, nowhere = -1;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	last = last_act_new();
	last_act_begin(last, say, &nowhere);
	kill(getpid(), SIGTERM);
	assert_int_equal(sigwait(&set, &number), 0);
	assert_int_equal(number, SIGTERM);
	last_act_cancel(last);
	sigprocmask(SIG_UNBLOCK, &set, &now);
	assert_true(sigismember(&now, SIGTERM));
	assert_false(sigismember(&now, SIGINT));
	last_act_cancel(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acts_once_and_ends_by_the_signal),
		cmocka_unit_test(signals_wait_until_the_act_is_known),
		cmocka_unit_test(cancelled_it_only_ends),
		cmocka_unit_test(ignored_signals_stay_ignored),
		cmocka_unit_test(blocked_signals_are_somebody_elses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
