/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of a recording that say again what another event of it said already. The kernel writes
 * forks and exits for each event that follows mappings, names for each that follows names
 * (perf_event_task_match and perf_event_comm_match of linux:kernel/events/core.c), one after the
 * other: taken twice, a fork would be two processes, an exec two programs.
 */
#ifndef IMPORT_IMPORT_REPEATS_H
#define IMPORT_IMPORT_REPEATS_H

#include <stdbool.h>
#include <stddef.h>

#include "perf/perf_record.h"

struct import_repeats;

struct import_repeats *import_repeats_new(void);
void import_repeats_free(struct import_repeats *repeats); /* NULL is fine */

/* Is it the same fork, exit or name as the last that was told of its thread, by another event?
 * @record in order of time, @event the index of the event it is of. */
bool import_repeats_is(struct import_repeats *repeats, const struct perf_record *record,
		       size_t event);

#endif
