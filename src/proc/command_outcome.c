/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/command_outcome.h"

#include <sys/wait.h>

#include "proc/launch.h"

enum { SIGNAL_BASE = 128 }; /* as shells count */

/* Exit status of a command that ran and ended. */
static int commands_own(const struct command_outcome *outcome)
{
	if (WIFSIGNALED(outcome->status))
		return SIGNAL_BASE + WTERMSIG(outcome->status);
	return WEXITSTATUS(outcome->status);
}

int command_outcome_exit_status(const struct command_outcome *outcome, int rc)
{
	bool ended = outcome->launched && outcome->ended;
	int status = ended ? commands_own(outcome) : 0;

	if (rc < 0 && outcome->launch_failed)
		return launch_exit_status(rc);
	if (rc < 0)
		return status ? status : 1;
	if (outcome->launched && !ended)
		return SIGNAL_BASE + outcome->stop_signal;
	return status;
}
