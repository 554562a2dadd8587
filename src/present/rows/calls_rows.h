/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call graph as rows, for programs: event, entry, line, index, cycle, the keys of places, image,
 * samples, weight, percent, self_samples, self_weight, self_percent, calls, own_calls. Each
 * function with an entry has rows for its callers, for itself, and for its callees.
 * prospect-graph(1) documents the columns.
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
