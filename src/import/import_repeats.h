/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detects records that repeat, for another event, what an earlier record said. The kernel writes
 * forks and exits for each event that follows mappings, and names for each that follows names
 * (perf_event_task_match and perf_event_comm_match of linux:kernel/events/core.c), one after the
 * other. Taken twice, a fork would be two processes, and an exec two programs.
 */
#ifndef IMPORT_IMPORT_REPEATS_H
#define IMPORT_IMPORT_REPEATS_H

#include <stdbool.h>
#include <stddef.h>

#include "perf/perf_record.h"

struct import_repeats;

struct import_repeats *import_repeats_new(void);
void import_repeats_free(struct import_repeats *repeats); /* NULL is fine */

/* True if @record is the same fork, exit or name as the thread's last record, from another event.
 * Call with records in order of time; @event is the index of the record's event. */
bool import_repeats_is(struct import_repeats *repeats, const struct perf_record *record,
		       size_t event);

#endif
