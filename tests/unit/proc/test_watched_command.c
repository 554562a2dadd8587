/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that come while a command runs. It is stopped as soon as it runs, so that a signal sent
 * to it stays pending, where /proc shows it.
 */
#include "proc/watched_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_S = 120 }; /* then a test that waits for ever is killed */

static int set_up(void **state)
{
	(void)state;
	alarm(PATIENCE_S);
	unsetenv("SUDO_UID");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	alarm(0);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	return 0;
}

static void begin(struct watched_command *command, const char *text)
{
	char shell[] = "sh", option[] = "-c";
	char *argv[] = { shell, option, (char *)text, NULL };
	struct err err = { "" };

	if (watched_command_prepare(command, argv, false, &err) < 0 ||
	    watched_command_take_signals(command, &err) < 0 ||
	    watched_command_go(command, &err) < 0)
		fail_msg("%s", err.text);
}

static void begin_stopped(struct watched_command *command)
{
	siginfo_t info;

	begin(command, "exec sleep 1000");
	assert_int_equal(kill(command->launch.pid, SIGSTOP), 0);
	assert_int_equal(waitid(P_PID, (id_t)command->launch.pid, &info, WSTOPPED | WNOWAIT), 0);
}

/* Signals that were sent to the command, as bits: 1 << (number - 1). */
static uint64_t sent(const struct watched_command *command)
{
	char path[64], line[256];
	uint64_t set = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)command->launch.pid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "ShdPnd:", 7) == 0)
			set = strtoull(line + 7, NULL, 16);
	}
	fclose(file);
	return set;
}

static uint64_t bit(int number)
{
	return 1ULL << (number - 1);
}

static void from_somebody(struct watched_command *command, int number)
{
	assert_int_equal(kill(getpid(), number), 0);
	watched_command_read(command);
}

/* As the kernel sends it for a terminal. */
static void from_terminal(struct watched_command *command, int number)
{
	siginfo_t info = { .si_signo = number, .si_code = SI_KERNEL };

	assert_int_equal(syscall(SYS_rt_sigqueueinfo, getpid(), number, &info), 0);
	watched_command_read(command);
}

static void end(struct watched_command *command)
{
	kill(command->launch.pid, SIGKILL);
	waitpid(command->launch.pid, NULL, 0);
	watched_command_done(command);
}

static void one_for_us_is_passed_on(void **state)
{
	struct watched_command command = WATCHED_COMMAND_NONE;

	(void)state;
	begin_stopped(&command);
	from_somebody(&command, SIGTERM);
	assert_true(sent(&command) == bit(SIGTERM));
	assert_false(command.stop);
	assert_false(command.leave);
	assert_int_equal(command.outcome.stop_signal, SIGTERM);
	end(&command);
}

static void the_terminals_goes_to_the_command_anyway(void **state)
{
	struct watched_command command = WATCHED_COMMAND_NONE;

	(void)state;
	begin_stopped(&command);
	from_terminal(&command, SIGINT);
	assert_true(sent(&command) == 0);
	assert_false(command.stop);
	from_terminal(&command, SIGINT);
	assert_true(sent(&command) == 0);
	assert_true(command.stop);
	assert_true(command.leave);
	end(&command);
}

static void the_second_is_ours_alone(void **state)
{
	struct watched_command command = WATCHED_COMMAND_NONE;

	(void)state;
	begin_stopped(&command);
	from_somebody(&command, SIGHUP);
	from_somebody(&command, SIGTERM);
	assert_true(sent(&command) == bit(SIGHUP));
	assert_true(command.stop);
	assert_true(command.leave);
	watched_command_wait(&command); /* does not */
	assert_false(command.outcome.ended);
	assert_int_equal(command_outcome_exit_status(&command.outcome, 0), 128 + SIGTERM);
	end(&command);
}

/* Ctrl-\ makes the command dump its core, and is no wish of ours to end. */
static void quit_is_the_commands(void **state)
{
	struct watched_command command = WATCHED_COMMAND_NONE;
	struct watched_command alone = WATCHED_COMMAND_NONE;

	(void)state;
	begin_stopped(&command);
	from_terminal(&command, SIGQUIT);
	from_terminal(&command, SIGQUIT);
	assert_false(command.stop);
	assert_int_equal(command.signals, 0);
	end(&command);
	assert_int_equal(watched_command_take_signals(&alone, NULL), 0);
	from_terminal(&alone, SIGQUIT);
	assert_true(alone.stop);
	watched_command_done(&alone);
}

static void the_first_ends_it_where_interrupts_were_ignored(void **state)
{
	struct watched_command command = WATCHED_COMMAND_NONE;

	(void)state;
	signal(SIGINT, SIG_IGN);
	begin_stopped(&command);
	from_somebody(&command, SIGINT);
	assert_true(sent(&command) == 0);
	assert_true(command.stop);
	assert_true(command.leave);
	assert_int_equal(command_outcome_exit_status(&command.outcome, 0), 130);
	end(&command);
}

/* But another signal is passed on as ever. */
static void others_where_interrupts_were_ignored(void **state)
{
	struct watched_command command = WATCHED_COMMAND_NONE;

	(void)state;
	signal(SIGINT, SIG_IGN);
	begin_stopped(&command);
	from_somebody(&command, SIGTERM);
	assert_true(sent(&command) == bit(SIGTERM));
	assert_false(command.leave);
	end(&command);
}

static void hangups_that_are_ignored(void **state)
{
	struct watched_command command = WATCHED_COMMAND_NONE;

	(void)state;
	signal(SIGHUP, SIG_IGN);
	begin_stopped(&command);
	from_somebody(&command, SIGHUP);
	from_somebody(&command, SIGHUP);
	assert_int_equal(command.signals, 0);
	assert_false(command.stop);
	end(&command);
}

/* A parent may have set SIGCHLD to be ignored; then the kernel discards the status of children. */
static void ends_of_children_are_seen(void **state)
{
	struct watched_command command = WATCHED_COMMAND_NONE;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	begin(&command, "exit 42");
	watched_command_wait(&command);
	assert_true(command.outcome.ended);
	assert_true(command.stop);
	assert_int_equal(command_outcome_exit_status(&command.outcome, 0), 42);
	watched_command_done(&command);
}

static void the_mask_is_what_it_was(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGQUIT, SIGCHLD, SIGHUP, SIGUSR1 };
	struct watched_command command = WATCHED_COMMAND_NONE;
	sigset_t mask;

	(void)state;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	begin(&command, "exit 0");
	watched_command_wait(&command);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		assert_int_equal(sigismember(&mask, numbers[i]), 1);
	watched_command_done(&command);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		assert_int_equal(sigismember(&mask, numbers[i]), numbers[i] == SIGUSR1);
	sigdelset(&mask, SIGUSR1);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(one_for_us_is_passed_on),
		TEST(the_terminals_goes_to_the_command_anyway),
		TEST(the_second_is_ours_alone),
		TEST(quit_is_the_commands),
		TEST(the_first_ends_it_where_interrupts_were_ignored),
		TEST(others_where_interrupts_were_ignored),
		TEST(hangups_that_are_ignored),
		TEST(ends_of_children_are_seen),
		TEST(the_mask_is_what_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
