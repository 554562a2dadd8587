/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of tables as JSON arrays: built element by element, without brackets, and printed as a
 * member of an object that has members before it. */
#ifndef PRESENT_ROWS_JSON_COLUMN_H
#define PRESENT_ROWS_JSON_COLUMN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/* Appends a comma if needed, and returns @column; the caller appends the element. */
struct buf *json_column_next(struct buf *column);
void json_column_number(struct buf *column, uint64_t number);
void json_column_null(struct buf *column);
/* A number; null if it is 0. */
void json_column_number_or_null(struct buf *column, uint64_t number);

/* Prints ,"name":[...]. Write errors are left in @out for ferror(). */
void json_column_print(const char *name, const struct buf *column, FILE *out);
/* The same for a column with @value in each of @count rows. */
void json_column_print_same(const char *name, const char *value, size_t count, FILE *out);

#endif
