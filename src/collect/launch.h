/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiled command: made first, held at a gate until sampling runs, then released into exec.
 * It keeps our stdin, stdout, stderr, signal dispositions and mask as we found them; our own
 * descriptors are all close-on-exec.
 */
#ifndef COLLECT_LAUNCH_H
#define COLLECT_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct launch {
	pid_t pid;
	int gate; /* write end: closing it without a byte makes the child leave without a trace */
	int outcome; /* read end: the child's errno when exec failed, end of file when it went well
		      */
};

struct launch_options {
	char *const *argv; /* NULL-terminated; argv[0] is looked up on PATH */
	/* Drop to this user first (--as-user); uid (uid_t)-1: stay. Supplementary groups, gid, uid,
	 * HOME, USER and LOGNAME are set. */
	uid_t uid;
	gid_t gid;
	const char *user;
};

/* Forks the child that waits at the gate. The command is looked up before: -ENOENT (exit status
 * 127) and -EACCES (126) are told without a fork. */
int launch_prepare(const struct launch_options *options, struct launch *ret_launch,
		   struct err *err);
/* Opens the gate and waits for exec: 0, or the negative errno of exec (then the child is gone). */
int launch_go(struct launch *launch, struct err *err);
/* Gives up before or after the gate was opened: closes descriptors, kills and reaps a child that
 * still waits. */
void launch_abandon(struct launch *launch);

/* Exit status for a failed launch as shells have it: 127 not found, 126 not executable, 1 else. */
int launch_exit_status(int rc);

#endif
