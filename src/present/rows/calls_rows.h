/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call graph as rows, for programs: event, entry, line, index, cycle, the keys of places, image,
 * samples, weight, percent, self_samples, self_weight, self_percent, calls, own_calls. For each
 * function that has an entry the rows of its callers, its own, and those of what it calls.
 * prospect-graph(1) documents them.
 */
#ifndef PRESENT_ROWS_CALLS_ROWS_H
#define PRESENT_ROWS_CALLS_ROWS_H

#include "present/calls_view.h"
#include "present/fields.h"

/* The line of titles. */
void calls_rows_titles(const struct places *places, FILE *out);
/* The rows of one event. */
void calls_rows_print(const struct calls_view *view, struct fields *fields);

#endif
