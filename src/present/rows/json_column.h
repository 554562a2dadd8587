/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of tables as JSON arrays: each gathered element by element, without its brackets, and
 * printed as a member of an object that has other members before it. */
#ifndef PRESENT_ROWS_JSON_COLUMN_H
#define PRESENT_ROWS_JSON_COLUMN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/* Makes room for one more element, which the caller appends to what is returned: @column. */
struct buf *json_column_next(struct buf *column);
void json_column_number(struct buf *column, uint64_t number);
void json_column_null(struct buf *column);
/* A number that is null where it is 0. */
void json_column_number_or_null(struct buf *column, uint64_t number);

/* ,"name":[...] Write errors are left in @out for ferror(). */
void json_column_print(const char *name, const struct buf *column, FILE *out);
/* The same of a column that has @value in each of @count rows. */
void json_column_print_same(const char *name, const char *value, size_t count, FILE *out);

#endif
