/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table as JSON: {"header": {...}, "rows": [...]}. prospect-report(1) documents every field. */
#ifndef PRESENT_JSON_H
#define PRESENT_JSON_H

#include <stdio.h>

#include "aggregate/table.h"
#include "present/view.h"

/* The version of the form; changed when a field goes or changes its meaning. */
enum { JSON_VERSION = 1 };

/* Of @view only labels, account, naming, selection and instructions are looked at. What is not
 * known is null, never 0. Write errors are left in @out for ferror(). */
void json_print(const struct view *view, const struct table *table, FILE *out);

#endif
