/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --columns for programs: CSV and JSON. */
#ifndef PRESENT_ROWS_CLASS_ROWS_H
#define PRESENT_ROWS_CLASS_ROWS_H

#include <stdio.h>

#include "aggregate/tables/classes.h"
#include "present/view.h"

/* As csv_print, followed for each class by "KEY=VALUE samples", "KEY=VALUE weight" and "KEY=VALUE
 * percent", the share of the class. If events are the classes, only these follow the keys. @titles:
 * prints the line of names too. */
void class_rows_csv(const struct classes *classes, bool titles, FILE *out);

/* {"header": {...}, "columns": {"key", "classes": [{"value", "samples", "weight"}]}, "rows": [{...,
 * "columns": [{"samples", "weight", "percent"}]}]}: each row has an entry for each class, in order.
 * Classes that add up several events have no weight. */
void class_rows_json(const struct view *view, const struct classes *classes, FILE *out);

#endif
