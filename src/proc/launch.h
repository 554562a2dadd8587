/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiled command: forked first, held at a gate until sampling runs, then released into exec.
 * It keeps our stdin, stdout, stderr, signal dispositions and mask as they are at launch_prepare.
 * Our own descriptors are all close-on-exec. If we die before the gate opens, the child exits
 * silently.
 */
#ifndef PROC_LAUNCH_H
#define PROC_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Filled by launch_prepare. All zero is not valid. */
struct launch {
	pid_t pid;
	int gate; /* our end of the gate; -1 once it is open */
	/* Where the child reports that it failed before or in exec: our end of a pipe; end of file:
	 * exec succeeded, or the child was killed. -1 once it was read. */
	int outcome;
	const char *command; /* argv[0], borrowed */
};

struct launch_options {
	char *const *argv; /* NULL-terminated; argv[0] is looked up on PATH */
	/* The user to run the command as (--as-user); uid (uid_t)-1: unchanged. Sets supplementary
	 * groups, gid and uid, and HOME, USER and LOGNAME in the environment. */
	uid_t uid;
	gid_t gid;
	const char *user;	 /* borrowed for the call; NULL: look up the uid's name */
	struct foreign *foreign; /* reads files that may not answer, borrowed; NULL: wait here */
};

/* Looks up the command, then forks the child that waits at the gate. -ENOENT (exit status 127) and
 * -EACCES (126) are reported without a fork. The caller reaps the child. */
int launch_prepare(const struct launch_options *options, struct launch *ret_launch,
		   struct err *err);
/* Opens the gate and waits for exec. 0, or the negative errno of exec (the child is then reaped). A
 * child killed by a signal at the gate is not an error: waitpid reports it. Nor is a file that does
 * not answer: after 5 seconds, or if a signal to end is pending, the command counts as started. */
int launch_go(struct launch *launch, struct err *err);
/* Gives up, before or after the gate opens: closes descriptors, and kills and reaps a child that
 * still waits. Leaves a running command alone. */
void launch_abandon(struct launch *launch);

/* The exit status of shells for a failed launch (@rc: negative errno): 127 not found, 126 found but
 * not executable, 1 otherwise. */
int launch_exit_status(int rc);

/* How the profiled, counted or watched command ended. All zero: there was no command. */
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
