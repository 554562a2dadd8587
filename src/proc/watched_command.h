/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that is profiled or counted, and the signals that end what we do: from the gate it is
 * held at to its exit status. The terminal sends Ctrl-C to the command as well, so it is left to it
 * to act on; a signal meant for us alone is passed on. A second one ends our waiting. Where SIGINT
 * was ignored when we started, as in background jobs of scripts, the first SIGINT is for us and
 * ends our waiting; the command, which inherited that, goes on. A SIGHUP that was ignored then
 * stays so.
 */
#ifndef PROC_WATCHED_COMMAND_H
#define PROC_WATCHED_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "base/err.h"
#include "proc/command_outcome.h"
#include "proc/launch.h"

/* Who else reaps the command: called at each SIGCHLD; true, and its status as from waitpid(2), when
 * it has ended. */
struct command_reaper {
	bool (*take)(void *context, int *ret_status); /* NULL: nobody */
	void *context;
};

/* Start from WATCHED_COMMAND_NONE. */
struct watched_command {
	struct launch launch; /* pid -1: there is no command, or it could not be launched */
	int signal_fd;	      /* readable when a signal came; -1: they are not taken yet */
	sigset_t old_mask;
	struct command_reaper reaper;
	struct foreign *foreign; /* as in struct launch_options; NULL where nobody has one */
	struct command_outcome outcome;
	struct rusage usage;	/* what it used, once it has ended; not with a reaper */
	bool stop;		/* it ended, or a signal wants us to stop */
	int signals;		/* how many did; the last is in its outcome */
	bool interrupt_is_ours; /* SIGINT was ignored when we started */
	bool leave;		/* the command is not waited for any more */
};

#define WATCHED_COMMAND_NONE                                                        \
	{                                                                           \
		.launch = { .pid = -1, .gate = -1, .outcome = -1 }, .signal_fd = -1 \
	}

/* Where the command cannot be made or run, that is in its outcome. */

/* Forks the command, which waits at its gate; @argv NULL: none. @as_user: under sudo, as the user
 * who called it. Errors as launch_prepare. */
int watched_command_prepare(struct watched_command *command, char *const *argv, bool as_user,
			    struct err *err);
/* From here on our signals come through signal_fd; the command was forked with the old mask. */
int watched_command_take_signals(struct watched_command *command, struct err *err);
/* Opens the gate. Errors as launch_go. */
int watched_command_go(struct watched_command *command, struct err *err);
/* Takes what signal_fd brings. */
void watched_command_read(struct watched_command *command);
/* Waits for the command's end, which may have been left alone; a second signal ends that too. */
void watched_command_wait(struct watched_command *command);
/* Closes descriptors and gives our signals their old mask; a command still at the gate is killed,
 * one that runs is left alone. */
void watched_command_done(struct watched_command *command);

#endif
