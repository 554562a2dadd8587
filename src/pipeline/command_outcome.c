/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/command_outcome.h"

#include <sys/wait.h>

#include "collect/launch.h"

enum { SIGNAL_BASE = 128 }; /* as shells count */

int command_outcome_exit_status(const struct command_outcome *outcome, int rc)
{
	if (rc < 0)
		return outcome->launch_failed ? launch_exit_status(rc) : 1;
	if (!outcome->launched)
		return 0;
	if (!outcome->ended)
		return SIGNAL_BASE + outcome->stop_signal;
	if (WIFSIGNALED(outcome->status))
		return SIGNAL_BASE + WTERMSIG(outcome->status);
	return WEXITSTATUS(outcome->status);
}
