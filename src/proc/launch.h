/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiled command: made first, held at a gate until sampling runs, then released into exec.
 * It keeps our stdin, stdout, stderr, signal dispositions and mask as they are at launch_prepare;
 * our own descriptors are all close-on-exec. Should we die before the gate opens, it leaves without
 * a trace.
 */
#ifndef PROC_LAUNCH_H
#define PROC_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* launch_prepare fills it; a zeroed one is not valid. */
struct launch {
	pid_t pid;
	int gate;    /* our end of the gate; -1 once it was opened */
	int outcome; /* read end: a failure of the child before or in exec; end of file: exec done
		      */
	const char *command; /* argv[0], borrowed */
};

struct launch_options {
	char *const *argv; /* NULL-terminated; argv[0] is looked up on PATH */
	/* Drop to this user first (--as-user); uid (uid_t)-1: stay. Supplementary groups, gid and
	 * uid are set, and HOME, USER and LOGNAME in the environment. */
	uid_t uid;
	gid_t gid;
	const char *user;	 /* NULL: the uid's name in the password database */
	struct foreign *foreign; /* reads what may not answer, borrowed; NULL: it is waited for */
};

/* Forks the child that waits at the gate. The command is looked up before, so that -ENOENT (exit
 * status 127) and -EACCES (126) are told without a fork. The child is the caller's to reap. */
int launch_prepare(const struct launch_options *options, struct launch *ret_launch,
		   struct err *err);
/* Opens the gate and waits for exec: 0, or the negative errno of exec (then the child was reaped).
 * A child that a signal killed at the gate is no failure: waitpid tells. Nor is one whose file does
 * not answer: after some seconds, or when a signal to end waits for us, it counts as started. */
int launch_go(struct launch *launch, struct err *err);
/* Gives up before or after the gate was opened: closes descriptors, kills and reaps a child that
 * still waits. A command that runs already is left alone. */
void launch_abandon(struct launch *launch);

/* Exit status for a failed launch (a negative errno) as shells have it: 127 not found, 126 found
 * but not executable, 1 else. */
int launch_exit_status(int rc);

#endif
