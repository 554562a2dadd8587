/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report as text. Names are made safe for terminals. Write errors are left in @out for
 * ferror().
 */
#ifndef PRESENT_TEXT_TEXT_REPORT_H
#define PRESENT_TEXT_TEXT_REPORT_H

#include <stdio.h>

#include "aggregate/tables/table.h"
#include "present/view.h"

/* All parts that view->level selects. */
void text_report_print(const struct view *view, FILE *out);
/* The head and a --by table. */
void text_report_table(const struct view *view, const struct table *table, FILE *out);

#endif
