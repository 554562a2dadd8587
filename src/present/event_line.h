/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line above the output for one event. */
#ifndef PRESENT_EVENT_LINE_H
#define PRESENT_EVENT_LINE_H

#include <stdio.h>

#include "aggregate/tables/table.h"

/* Prints an empty line, then "Event cpu-clock: 24,913 samples, 12.4 s". */
void event_line_of(const struct profile *profile, uint8_t event, const struct hits *sum, FILE *out);
/* The same with the sums of the table. */
void event_line_print(const struct table *table, uint8_t event, FILE *out);

#endif
