/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiled or counted command, from its gate to its exit status, and the signals that end our
 * work. The terminal sends Ctrl-C to the command as well, so the command may handle it; a signal
 * that was sent only to us is passed on. A second signal ends our waiting. If SIGINT was ignored
 * when we started, as in background jobs of scripts, the first SIGINT ends our waiting, and the
 * command, which inherited that, continues. A SIGHUP that was ignored stays ignored.
 */
#ifndef PROC_WATCHED_COMMAND_H
#define PROC_WATCHED_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "base/err.h"
#include "proc/launch.h"

/* Another owner of the command's exit status: called at each SIGCHLD. True, with the status as from
 * waitpid(2), once the command has ended. */
struct command_reaper {
	bool (*take)(void *context, int *ret_status); /* NULL: none */
	void *context;
};

/* Initialise with WATCHED_COMMAND_NONE. */
struct watched_command {
	struct launch launch; /* pid -1: there is no command, or it could not be launched */
	int signal_fd;	      /* readable when a signal arrives; -1: not set up yet */
	sigset_t old_mask;
	struct command_reaper reaper;
	struct foreign *foreign; /* as in struct launch_options; may be NULL */
	struct command_outcome outcome;
	struct rusage usage;	/* resource usage once it has ended; not with a reaper */
	bool stop;		/* the command ended, or a signal asked us to stop */
	int signals;		/* number of such signals; the last is in outcome */
	bool interrupt_is_ours; /* SIGINT was ignored when we started */
	bool leave;		/* do not wait for the command any more */
};

#define WATCHED_COMMAND_NONE                                                        \
	{                                                                           \
		.launch = { .pid = -1, .gate = -1, .outcome = -1 }, .signal_fd = -1 \
	}

/* The functions below also record in `outcome` whether the command could be run. */

/* Forks the command, which waits at its gate; @argv NULL: none. @as_user: under sudo, run it as the
 * user who called sudo. Errors as launch_prepare. */
int watched_command_prepare(struct watched_command *command, char *const *argv, bool as_user,
			    struct err *err);
/* From now on our signals arrive through signal_fd. Call it after the fork, so that the command
 * keeps the old mask. */
int watched_command_take_signals(struct watched_command *command, struct err *err);
/* Opens the gate. Errors as launch_go. */
int watched_command_go(struct watched_command *command, struct err *err);
/* Handles the signals that signal_fd has. */
void watched_command_read(struct watched_command *command);
/* Waits for the command to end, even if we left it alone; a second signal ends this wait, too. */
void watched_command_wait(struct watched_command *command);
/* Closes descriptors and restores our signal mask. Kills a command still at the gate; leaves a
 * running one alone. */
void watched_command_done(struct watched_command *command);

#endif
