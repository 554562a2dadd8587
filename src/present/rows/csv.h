/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table as RFC 4180 CSV: the keys in order, then event,samples,weight,percent,low,high; in an
 * inclusive table also self_samples,self_weight,self_percent; accumulated and instruction if
 * wanted. */
#ifndef PRESENT_ROWS_CSV_H
#define PRESENT_ROWS_CSV_H

#include <stdio.h>

#include "aggregate/tables/table.h"
#include "present/instructions_view.h"

/* Percent is the share of weight within the event; low and high are its 95 % interval in percent.
 * Lines end in a single newline. @instructions: NULL if not wanted; otherwise the table has rows by
 * address. Write errors are left in @out for ferror(). */
void csv_print(const struct table *table, const struct instructions_view *instructions, FILE *out);

/* The same without the line of names. */
void csv_print_rows(const struct table *table, const struct instructions_view *instructions,
		    FILE *out);

#endif
