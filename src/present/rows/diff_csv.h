/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A diff for programs. As CSV: the keys in order, then event, verdict, q, and for each measure the
 * value of both sides, the change, and its 95 % interval; prospect-diff(1) documents every column.
 * As JSON: {"header": {...}, "rows": [...]} with the same fields.
 */
#ifndef PRESENT_ROWS_DIFF_CSV_H
#define PRESENT_ROWS_DIFF_CSV_H

#include <stdio.h>

#include "present/diff_view.h"

/* Write errors are left in @out for ferror(). */
void diff_csv_print(const struct diff_view *view, FILE *out);
void diff_json_print(const struct diff_view *view, FILE *out);

#endif
