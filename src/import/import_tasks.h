/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of a perf recording. perf describes those that ran before by records it made up:
 * parent, name, mappings. A fork among these must not copy the parent's program, for the process is
 * not new. Kernels before 3.16 do not tell an exec from a change of name: it was an exec if the
 * file mapped next has that name.
 */
#ifndef IMPORT_IMPORT_TASKS_H
#define IMPORT_IMPORT_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/machine.h"
#include "perf/perf_record.h"

struct import_tasks;

/* @machine is borrowed and receives what is certain. */
struct import_tasks *import_tasks_new(struct machine *machine);
void import_tasks_free(struct import_tasks *tasks); /* NULL is fine */

/* A time of 0: perf's description of the state at the start. */
void import_tasks_fork(struct import_tasks *tasks, uint64_t time_ns, int32_t pid,
		       int32_t parent_pid, int32_t tid, int32_t parent_tid);
/* @exec_told: the recorded kernel marks names that come from an exec. */
void import_tasks_comm(struct import_tasks *tasks, uint64_t time_ns, int32_t pid, int32_t tid,
		       const char *comm, bool exec, bool exec_told);
/* Call before mapping executable memory of that name. */
void import_tasks_map(struct import_tasks *tasks, uint64_t time_ns, int32_t pid, const char *path);
/* Call before looking up this process. */
void import_tasks_settle(struct import_tasks *tasks, int32_t pid);

/*
 * True if @record is the same fork, exit or name as the thread's last record, from another event.
 * The kernel writes forks and exits for each event that follows mappings, and names for each that
 * follows names (perf_event_task_match and perf_event_comm_match of linux:kernel/events/core.c),
 * one after the other. Taken twice, a fork would be two processes, and an exec two programs. Call
 * with records in order of time; @event is the index of the record's event.
 */
bool import_tasks_repeats(struct import_tasks *tasks, const struct perf_record *record,
			  size_t event);

#endif
