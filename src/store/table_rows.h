/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a table, straight from the pages of the file or, where these are odd (pages.h), from
 * SQLite. Both give the same rows in the same order, but that in the pages a whole number is an integer in a
 * column of real numbers, too.
 */
#ifndef STORE_TABLE_ROWS_H
#define STORE_TABLE_ROWS_H

#include <sqlite3.h>

#include "base/err.h"
#include "store/datum.h"
#include "store/pages.h"

/* Where the tables are. */
struct table_source {
	sqlite3 *db;
	struct pages *pages; /* NULL: all is asked of SQLite */
};

enum { TABLE_ROWS_MOST_COLUMNS = 16 };

/* What to do with rows. */
struct table_visitor {
	void *context;
	/* Forget the rows that were visited, because all come again; NULL: it makes no difference. */
	void (*restart)(void *context);
	/* @values: one for each column. Returns 0 to go on; any other value ends the visit and is
	 * returned. If it is negative for a row of the pages, SQLite is asked for the rows. */
	int (*visit)(void *context, const struct datum *values, struct err *why);
};

/* Visits all rows of @table in order of ids or keys. @columns: as in page_rows; at most
 * TABLE_ROWS_MOST_COLUMNS. Returns 0, what @visitor->visit returned, or SQLite's error as a negative
 * errno. */
int table_rows_each(const struct table_source *source, const char *table, const char *columns,
		    const struct table_visitor *visitor, struct err *why);
/* The same by SQLite alone. */
int table_rows_each_by_sql(sqlite3 *db, const char *table, const char *columns,
			   const struct table_visitor *visitor, struct err *why);

/* True if the table is there: 1, 0, or a negative errno. */
int table_rows_there(const struct table_source *source, const char *table);

/* The value in the column @at of the current row of @stmt; borrowed until the next step. */
struct datum table_rows_datum(sqlite3_stmt *stmt, int at);

#endif
