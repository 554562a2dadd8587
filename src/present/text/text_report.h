/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report as text. Names are made safe for terminals. Write errors are left in @out for
 * ferror().
 */
#ifndef PRESENT_TEXT_TEXT_REPORT_H
#define PRESENT_TEXT_TEXT_REPORT_H

#include <stdio.h>

#include "aggregate/tables/hierarchy.h"
#include "aggregate/tables/pivot.h"
#include "aggregate/tables/table.h"
#include "present/view.h"

/* All parts that view->level selects. */
void text_report_print(const struct view *view, FILE *out);
/* Everything about the quality of the profile: the head as VIEW_ALL has it, the figures of the
 * recording, and incomplete stacks. */
void text_report_quality(const struct view *view, FILE *out);
/* The head and a --by table. */
void text_report_table(const struct view *view, const struct table *table, FILE *out);

/* The head, unless view->bare, and the rows of a hierarchy, each indented below the row that it is
 * part of. */
void text_report_hierarchy(const struct view *view, const struct hierarchy *hierarchy, FILE *out);

/* The head and a table with --columns, of each event unless events are the columns: samples and
 * percent of each column. If a line has no room for all columns, shows the heaviest and adds up the
 * others. Names too long for a title are listed above the table. */
void text_pivot_print(const struct view *view, const struct pivot *pivot, FILE *out);

/* What comes above tables and trees: few lines unless view->level is above VIEW_SCREEN, nothing if
 * view->bare. */
void text_report_head(const struct view *view, FILE *out);
/* Says that a table has no rows, and why. */
void text_report_nothing(const struct view *view, FILE *out);
/* The line above the output for one event, after an empty line: "Event cpu-clock: 24,913 samples of
 * the command, 12.4 s". */
void text_report_event_of(const struct view *view, uint8_t event, const struct hits *sum,
			  FILE *out);
/* The same with the sums of the table, which are its 100 %: "... = 100 %". */
void text_report_event(const struct view *view, const struct table *table, uint8_t event,
		       FILE *out);

#endif
