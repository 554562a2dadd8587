/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a command waited, and for what: the time in which none of its threads ran or was
 * runnable (bpf/command_wait.bpf.c), or which part of it is known without BPF.
 */
#ifndef SAMPLING_COMMAND_WAIT_H
#define SAMPLING_COMMAND_WAIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "bpf/command_wait_wire.h"

struct command_wait;
struct who_tasks;

/* Loads and attaches the programs, some ten milliseconds. Negative errno with the reason: no
 * permission, or an unsuitable kernel. */
int command_wait_new(struct command_wait **ret_wait, struct err *err);
void command_wait_free(struct command_wait *wait); /* NULL is fine */

/* Chooses the processes and threads that, with all that they start, are the command. At most
 * COMMAND_WAIT_MAX_CHOSEN. -ESRCH: none of them was found, for example because they have other
 * numbers here (a PID namespace). */
int command_wait_choose(struct command_wait *wait, const struct who_tasks *tasks, struct err *err);
/* Opens the window now. Returns the time of that (CLOCK_MONOTONIC). */
uint64_t command_wait_open(struct command_wait *wait);
/* Instead: the chosen process opens it when it executes the command. */
void command_wait_open_at_exec(struct command_wait *wait);

/* Times that were waited. */
struct command_waits {
	uint64_t begin_ns;			     /* when the window opened; 0: it never did */
	uint64_t idle_ns[COMMAND_WAIT_REASON_COUNT]; /* together at most the window */
	uint64_t lock_ns;			     /* of all threads together */
	uint64_t not_asked; /* waits above COMMAND_WAIT_MOST_ASKED a second, about */
};

/* Closes the window at @now_ns, which has just passed, and detaches the programs. -ENODATA: what
 * they saw is not complete, and only begin_ns is written. */
int command_wait_end(struct command_wait *wait, uint64_t now_ns, struct command_waits *ret_waits);

#endif
