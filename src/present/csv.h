/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table as RFC 4180 CSV: the keys in order, then event,samples,weight,percent,low,high. */
#ifndef PRESENT_CSV_H
#define PRESENT_CSV_H

#include <stdio.h>

#include "aggregate/table.h"

/* Percent is the share of weight within the event, low and high its 95 % interval. Lines end in a
 * newline alone. Write errors are left in @out for ferror(). */
void csv_print(const struct table *table, FILE *out);

#endif
