/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that every kernel has a number for, by the names of perf-list(1). */
#ifndef PERF_EVENT_TABLES_H
#define PERF_EVENT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/event_spec.h"

/* Finds software, hardware and cache events by name or alias, and raw codes ("r" and up to 16
 * hexadecimal digits). Fills @spec except its name. False if there is no such event. */
bool event_tables_find(const char *name, struct event_spec *spec);
/* The name of an event without modifiers, in @size bytes (> 0). False if it has none. */
bool event_tables_name(uint32_t type, uint64_t config, char *ret_name, size_t size);
/* The name that @name may be a misspelling of; NULL if none is near. */
const char *event_tables_nearest(const char *name);
void event_tables_each(event_visit visit, void *context);

/* The smallest count to sample at; a smaller one could stop the machine with interrupts. 1 for
 * software events and tracepoints. The figures are those of OProfile's event lists. */
uint64_t event_tables_least_period(const struct event_spec *spec);

#endif
