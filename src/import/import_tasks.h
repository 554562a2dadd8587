/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as a recording of perf tells of them. Those that were there before are announced by
 * records perf made up: parent, name, then mappings; a fork among these must not copy the parent's
 * program, for this process is not young. And kernels before 3.16 do not tell exec from a change of
 * name: it was an exec if the file that is mapped next is called so.
 */
#ifndef IMPORT_IMPORT_TASKS_H
#define IMPORT_IMPORT_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"

struct import_tasks;

/* @machine is borrowed and gets what is certain. */
struct import_tasks *import_tasks_new(struct machine *machine);
void import_tasks_free(struct import_tasks *tasks); /* NULL is fine */

/* Times of 0: announced. */
void import_tasks_fork(struct import_tasks *tasks, uint64_t time_ns, int32_t pid,
		       int32_t parent_pid, int32_t tid, int32_t parent_tid);
/* @exec_told: this recording's kernel says when a name comes from exec. */
void import_tasks_comm(struct import_tasks *tasks, uint64_t time_ns, int32_t pid, int32_t tid,
		       const char *comm, bool exec, bool exec_told);
/* Executable memory of that name is about to be mapped. */
void import_tasks_map(struct import_tasks *tasks, uint64_t time_ns, int32_t pid, const char *path);
/* Something is about to be asked of this process. */
void import_tasks_settle(struct import_tasks *tasks, int32_t pid);

#endif
