/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of any SELECT as text, CSV or JSON, printed as they come: there may be more than memory can
 * hold. */
#ifndef PRESENT_ROWS_SQL_ROWS_H
#define PRESENT_ROWS_SQL_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "model/value.h"

enum sql_rows_format {
	SQL_ROWS_TEXT, /* aligned by the widths of the first thousand rows */
	SQL_ROWS_CSV,
	SQL_ROWS_JSON, /* {header, rows, complete} */
};

struct sql_rows;

/* @names (copied): names of the columns. @sql (borrowed): the statement, shown in the header of
 * JSON. */
struct sql_rows *sql_rows_new(enum sql_rows_format format, const char *sql,
			      const char *const *names, size_t count, FILE *out);
/* Discards what was not printed; NULL is fine. */
void sql_rows_free(struct sql_rows *rows);
DEFINE_CLEANUP(struct sql_rows *, sql_rows_free);

/* Before the first row: no line of a text is longer than this number of columns. Texts are shortened in
 * their middle; rows that have no room even so are lists, with a line for each column. Without it nothing
 * is shortened. */
void sql_rows_fit(struct sql_rows *rows, size_t columns);
/* @values: one for each column. */
void sql_rows_add(struct sql_rows *rows, const struct value *values);
/* Ends the output. @complete: the query had no more rows. Write errors are left in the stream. */
void sql_rows_finish(struct sql_rows *rows, bool complete);

#endif
