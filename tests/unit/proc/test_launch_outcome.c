/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/launch.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What a child leaves: by exit(@status), or by @signal where that is not 0. */
static struct command_outcome outcome_of(int status, int signal)
{
	struct command_outcome outcome = { .launched = true, .ended = true };
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		if (signal)
			raise(signal);
		_exit(status);
	}
	assert_int_equal(waitpid(child, &outcome.status, 0), child);
	return outcome;
}

static void the_status_is_the_commands(void **state)
{
	struct command_outcome good = outcome_of(0, 0), bad = outcome_of(7, 0);
	struct command_outcome killed = outcome_of(0, SIGKILL);

	assert_int_equal(command_outcome_exit_status(&good, 0), 0);
	assert_int_equal(command_outcome_exit_status(&bad, 0), 7);
	assert_int_equal(command_outcome_exit_status(&killed, 0), 137);
}

/* Also when a signal came that the command did not die of. */
static void the_commands_status_goes_before_a_signal(void **state)
{
	struct command_outcome outcome = outcome_of(3, 0);

	outcome.stop_signal = SIGINT;
	assert_int_equal(command_outcome_exit_status(&outcome, 0), 3);
}

static void a_command_that_was_left_exits_by_the_signal(void **state)
{
	const struct command_outcome outcome = { .launched = true, .stop_signal = SIGTERM };

	assert_int_equal(command_outcome_exit_status(&outcome, 0), 143);
}

static void without_a_command_success_is_zero(void **state)
{
	const struct command_outcome stopped = { .stop_signal = SIGINT };

	assert_int_equal(command_outcome_exit_status(&stopped, 0), 0);
	assert_int_equal(command_outcome_exit_status(&stopped, -EIO), 1);
}

/* A failure of ours is seen where the command had none; it hides none of the command's. */
static void the_commands_failure_goes_before_ours(void **state)
{
	struct command_outcome good = outcome_of(0, 0), bad = outcome_of(42, 0);
	struct command_outcome killed = outcome_of(0, SIGKILL);
	const struct command_outcome left = { .launched = true, .stop_signal = SIGINT };

	assert_int_equal(command_outcome_exit_status(&good, -ENOSPC), 1);
	assert_int_equal(command_outcome_exit_status(&bad, -ENOSPC), 42);
	assert_int_equal(command_outcome_exit_status(&bad, -ENOENT), 42);
	assert_int_equal(command_outcome_exit_status(&killed, -ENOSPC), 137);
	assert_int_equal(command_outcome_exit_status(&left, -ENOSPC), 1);
}

static void what_cannot_be_run_has_a_shells_status(void **state)
{
	const struct command_outcome outcome = { .launch_failed = true };

	assert_int_equal(command_outcome_exit_status(&outcome, -ENOENT), 127);
	assert_int_equal(command_outcome_exit_status(&outcome, -EACCES), 126);
	assert_int_equal(command_outcome_exit_status(&outcome, -EAGAIN), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_status_is_the_commands),
		cmocka_unit_test(the_commands_status_goes_before_a_signal),
		cmocka_unit_test(a_command_that_was_left_exits_by_the_signal),
		cmocka_unit_test(without_a_command_success_is_zero),
		cmocka_unit_test(the_commands_failure_goes_before_ours),
		cmocka_unit_test(what_cannot_be_run_has_a_shells_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
