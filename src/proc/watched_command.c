/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/watched_command.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/owner.h"

enum {
	SIGNALS_TO_STOP = 2, /* the first one is for the command to handle */
};

int watched_command_prepare(struct watched_command *command, char *const *argv, bool as_user,
			    struct err *err)
{
	struct launch_options launch = { .argv = argv,
					 .uid = (uid_t)-1,
					 .foreign = command->foreign };
	struct owner owner;
	int rc;

	if (!argv)
		return 0;
	owner_find(&owner);
	if (as_user && owner.other) {
		launch.uid = owner.uid;
		launch.gid = owner.gid;
		launch.user = owner.name;
	}
	rc = launch_prepare(&launch, &command->launch, err);
	command->outcome.launch_failed = rc < 0;
	return rc;
}

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Shells start background jobs of a script with SIGINT ignored, so that Ctrl-C does not reach them.
 * The command inherits that, but a SIGINT sent to us is meant to end our work. An ignored SIGHUP
 * comes from nohup and must not end anything. */
static void choose_signals(struct watched_command *command, sigset_t *set)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGQUIT, SIGCHLD };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(set, taken[i]);
	if (!is_ignored(SIGHUP))
		sigaddset(set, SIGHUP);
	command->interrupt_is_ours = is_ignored(SIGINT);
}

int watched_command_take_signals(struct watched_command *command, struct err *err)
{
	sigset_t set;

	choose_signals(command, &set);
	sigprocmask(SIG_BLOCK, &set, &command->old_mask);
	if (command->interrupt_is_ours)
		signal(SIGINT, SIG_DFL);
	signal(SIGCHLD, SIG_DFL); /* if our caller ignores it, it would never arrive */
	command->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (command->signal_fd < 0)
		return err_set(err, -errno, "cannot watch for signals: %s", strerror(errno));
	return 0;
}

int watched_command_go(struct watched_command *command, struct err *err)
{
	int rc = launch_go(&command->launch, err);

	command->outcome.launched = rc == 0;
	command->outcome.launch_failed = rc < 0;
	return rc;
}

static bool has_ended(struct watched_command *command)
{
	int *status = &command->outcome.status;

	if (command->reaper.take)
		return command->reaper.take(command->reaper.context, status);
	return command->outcome.launched &&
	       wait4(command->launch.pid, status, WNOHANG, &command->usage) == command->launch.pid;
}

static void reap(struct watched_command *command)
{
	if (command->outcome.ended)
		return;
	command->outcome.ended = has_ended(command);
	command->stop |= command->outcome.ended;
}

/* The terminal sends Ctrl-C to the command as well. We pass on a signal that was sent only to us,
 * except a SIGINT that the command ignores; then we stop waiting for the command. */
static void take_stop_signal(struct watched_command *command, const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;
	bool from_terminal = info->ssi_code == SI_KERNEL;

	if (number == SIGQUIT && command->outcome.launched)
		return; /* for the command: it dumps core */
	command->signals++;
	command->outcome.stop_signal = number;
	command->leave |= command->signals >= SIGNALS_TO_STOP ||
			  (number == SIGINT && command->interrupt_is_ours);
	if (!command->outcome.launched || command->leave)
		command->stop = true;
	else if (!from_terminal)
		kill(command->launch.pid, number);
}

void watched_command_read(struct watched_command *command)
{
	struct signalfd_siginfo info;

	while (read(command->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(command);
		else
			take_stop_signal(command, &info);
	}
}

void watched_command_wait(struct watched_command *command)
{
	struct pollfd fd = { .fd = command->signal_fd, .events = POLLIN };

	while (command->outcome.launched && !command->outcome.ended && !command->leave) {
		poll(&fd, 1, -1);
		watched_command_read(command);
		reap(command);
	}
}

void watched_command_done(struct watched_command *command)
{
	launch_abandon(&command->launch);
	if (command->signal_fd >= 0) {
		close(command->signal_fd);
		sigprocmask(SIG_SETMASK, &command->old_mask, NULL);
	}
}
