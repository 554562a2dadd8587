/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events every kernel has a number for, by the names of perf-list(1). */
#ifndef PERF_EVENT_TABLES_H
#define PERF_EVENT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/event_spec.h"

/* Software and generic hardware events (their other names too), cache events, and raw codes: "r"
 * with up to 16 hexadecimal digits. What is found is put into @spec, but for its name. */
bool event_tables_find(const char *name, struct event_spec *spec);
/* The name of that number, of @size bytes (> 0), without modifiers. false: none has it. */
bool event_tables_name(uint32_t type, uint64_t config, char *ret_name, size_t size);
/* What @name may have been meant to be; NULL: nothing is near. */
const char *event_tables_nearest(const char *name);
void event_tables_each(event_visit visit, void *context);

/* The least count to sample at: more interrupts than that could stop the machine. 1 for software
 * events and tracepoints. The figures are those that OProfile's event lists have for such events.
 */
uint64_t event_tables_least_period(const struct event_spec *spec);

#endif
