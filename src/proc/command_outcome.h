/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the profiled, counted or watched command ended, and the exit status of prospect. */
#ifndef PROC_COMMAND_OUTCOME_H
#define PROC_COMMAND_OUTCOME_H

#include <stdbool.h>

/* All zero: there was no command. */
struct command_outcome {
	/* launch_prepare or launch_go failed: launch_exit_status gives the shell's status */
	bool launch_failed;
	bool launched;	 /* it ran */
	bool ended;	 /* and has ended; then status is set */
	int status;	 /* as from waitpid(2) */
	int stop_signal; /* the last signal that asked us to stop; 0: none */
};

/* Exit status of prospect: that of the command as a shell reports it, 128 + the signal that ended
 * the command or our waiting for it, or 0 without a command. @rc: the result of our own work. If it
 * is negative: 126 or 127 if the command could not be run, else the command's status if that is a
 * failure, else 1. */
int command_outcome_exit_status(const struct command_outcome *outcome, int rc);

#endif
