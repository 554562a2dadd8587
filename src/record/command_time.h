/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time of the command, or of what was chosen with -p and -t: how long it took, and how much of it
 * was waited and for what.
 */
#ifndef RECORD_COMMAND_TIME_H
#define RECORD_COMMAND_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampling/sampler.h"

struct command_time;
struct profile;
struct rusage;
struct who_tasks;

/* Loads what the kernel side needs; call before the sampler is opened. Never fails:
 * command_time_begin reports what is not available. @profile is borrowed. */
struct command_time *command_time_new(struct profile *profile);
void command_time_free(struct command_time *time); /* NULL is fine, here and below */
/* What the sampler must provide, if that is not @waits already. */
enum sampler_waits command_time_source(const struct command_time *time, enum sampler_waits waits);

/* The time of these processes and threads begins now. With none nothing is known of waits. Adds to run.not_visible what this user or kernel cannot
 * do. */
void command_time_begin(struct command_time *time, const struct who_tasks *tasks);
/* The same of a process that was launched and waits: its time begins when it executes the command, as
 * far as that is seen, else now. */
void command_time_await(struct command_time *time, const struct who_tasks *tasks);
/* The time ends now, unless it has ended before. */
void command_time_end(struct command_time *time);

/* Takes the sampler's records in order of time. */
void command_time_take(struct command_time *time, const struct perf_record *record);

/* After records were taken: true if no more of command_time_source should be, because there are too
 * many. How long the command waits is not known then. */
bool command_time_gives_up(struct command_time *time);

/* After the last record: writes the facts into profile->run. @usage: of the command and what it
 * waited for; NULL: it has not ended, or there is none. @lost: records of switches that the kernel
 * dropped. @more: there were other processes than those of command_time_begin and what they started;
 * then how long all of them waited is not known. */
void command_time_settle(struct command_time *time, const struct rusage *usage, uint64_t lost,
			 bool more);

#endif
