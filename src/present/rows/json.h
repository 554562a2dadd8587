/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table as JSON: {"header": {...}, "rows": [...]}. prospect-report(1) documents every field. */
#ifndef PRESENT_ROWS_JSON_H
#define PRESENT_ROWS_JSON_H

#include <stdio.h>

#include "aggregate/tables/table.h"
#include "present/view.h"

/* Uses only the members of @view that json_header_print uses. Unknown values are null, never 0.
 * Write errors are left in @out for ferror(). */
void json_print(const struct view *view, const struct table *table, FILE *out);

#endif
