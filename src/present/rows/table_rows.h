/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for programs: as RFC 4180 CSV, whose lines end in a single newline, and as JSON.
 * prospect-report(1) documents every field. Write errors are left in @out for ferror(). */
#ifndef PRESENT_ROWS_TABLE_ROWS_H
#define PRESENT_ROWS_TABLE_ROWS_H

#include <stdio.h>

#include "aggregate/tables/pivot.h"
#include "present/view.h"

/* The keys in order, then event,samples,weight,percent,low,high; in an inclusive table also
 * self_samples,self_weight,self_percent; accumulated and instruction if wanted. Percent is the
 * share of weight within the event; low and high are its 95 % interval in percent. @instructions:
 * NULL if not wanted; otherwise the table has rows by address. @titles: prints the line of names
 * too. */
void table_rows_csv(const struct table *table, const struct instructions_view *instructions,
		    bool titles, FILE *out);
/* {"header": {...}, "rows": [...]}. Uses only the members of @view that json_header_print uses.
 * Unknown values are null, never 0. */
void table_rows_json(const struct view *view, const struct table *table, FILE *out);

/* As table_rows_csv, followed for each column by "KEY=VALUE samples", "KEY=VALUE weight" and
 * "KEY=VALUE percent", the share of the column. If events are the columns, only these follow the
 * keys. */
void table_rows_pivot_csv(const struct pivot *pivot, bool titles, FILE *out);
/* --columns: {"header": {...}, "columns": {"key", "classes": [{"value", "samples", "weight"}]},
 * "rows": [{..., "columns": [{"samples", "weight", "percent"}]}]}: each row has an entry for each
 * column, in order. Columns that add up several events have no weight. */
void table_rows_pivot_json(const struct view *view, const struct pivot *pivot, FILE *out);

#endif
