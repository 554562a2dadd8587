/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --columns for other programs: CSV and JSON. */
#ifndef PRESENT_ROWS_CLASS_ROWS_H
#define PRESENT_ROWS_CLASS_ROWS_H

#include <stdio.h>

#include "aggregate/tables/classes.h"
#include "present/view.h"

/* As csv_print, and behind that for each class "KEY=VALUE samples", "KEY=VALUE weight" and
 * "KEY=VALUE percent", the share of the class. With events as classes there is nothing but these
 * behind the keys. @titles: the line of names too. */
void class_rows_csv(const struct classes *classes, bool titles, FILE *out);

/* {"header": {...}, "columns": {"key", "classes": [{"value", "samples", "weight"}]}, "rows":
 * [{..., "columns": [{"samples", "weight", "percent"}]}]}: each row has an entry for each class, in
 * their order. */
void class_rows_json(const struct view *view, const struct classes *classes, FILE *out);

#endif
