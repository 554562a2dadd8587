/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a command waited, from the kernel's records of its threads' switches, for users who may
 * not load BPF programs (sampling/command_wait.h). These records tell neither what a thread waits
 * for nor when it is woken: until it runs it counts as waiting, unless it was preempted.
 */
#ifndef SAMPLING_COMMAND_SWITCHES_H
#define SAMPLING_COMMAND_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/perf_record.h"

struct command_switches;

struct command_switches *command_switches_new(void);
void command_switches_free(struct command_switches *switches); /* NULL is fine */

/* Adds a thread of the command that is there when the window opens. @active: it runs or could. */
void command_switches_add(struct command_switches *switches, int32_t tid, bool active);
/* The window opens at @now_ns. */
void command_switches_open(struct command_switches *switches, uint64_t now_ns);
/* Instead: the window opens when a thread of the command executes a program. */
void command_switches_open_at_exec(struct command_switches *switches);
/* When it opened; 0: not yet. */
uint64_t command_switches_opened(const struct command_switches *switches);
/* Takes records in order of time: switches, forks, exits and execs. Others, and those of threads
 * that do not belong to the command, change nothing. */
void command_switches_take(struct command_switches *switches, const struct perf_record *record);
/* The window closes at @now_ns. Records of earlier times may still come. */
void command_switches_close(struct command_switches *switches, uint64_t now_ns);
/* True if there are so many records that they cost more than they tell. */
bool command_switches_too_many(const struct command_switches *switches, uint64_t now_ns);
/* After the last record: the time of the window in which no thread of the command was active. */
uint64_t command_switches_idle(const struct command_switches *switches);

#endif
