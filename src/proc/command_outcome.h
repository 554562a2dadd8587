/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of the command that was profiled, counted or watched, and what we leave with. */
#ifndef PROC_COMMAND_OUTCOME_H
#define PROC_COMMAND_OUTCOME_H

#include <stdbool.h>

/* A zeroed one: there was no command. */
struct command_outcome {
	/* the error is the command's: launch_exit_status has a shell's status */
	bool launch_failed;
	bool launched;	 /* it ran */
	bool ended;	 /* and has ended: */
	int status;	 /* as from waitpid(2) */
	int stop_signal; /* the last signal that told us to stop; 0: none */
};

/* Exit status of prospect: the command's own as a shell has it, 128 + the signal that ended it or
 * our waiting for it, 0 without a command. @rc: of what was done with it; negative: 126 and 127 where
 * the command could not be run, the command's own where that tells a failure, else 1. */
int command_outcome_exit_status(const struct command_outcome *outcome, int rc);

#endif
