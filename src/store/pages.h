/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the rows of a table straight from the pages of the file, in SQLite's order: about a tenth of
 * the 0.3 us a row that a statement takes. Tables that are as in schema.sql are found without SQLite,
 * which would parse all that the file has of tables and views first; that takes longer than reading a
 * small profile. Understands only plain tables. Anything else is odd: ask SQLite, which also explains
 * damage. Reads the pages within the open read transaction (fileformat2, sections 1.6 and 2.1).
 */
#ifndef STORE_PAGES_H
#define STORE_PAGES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/reader.h"
#include "store/datum.h"

/* Returned if the caller must ask SQLite. */
enum { PAGES_ODD = 1 };

/* A row, read column by column. */
struct page_row {
	int64_t id;	      /* the rowid; 0 if the table has none */
	struct reader types;  /* private */
	struct reader values; /* private */
};

/* Each reads the next column. False: the column holds another type and was skipped. The column of a
 * rowid holds NULL. */
bool page_row_null(struct page_row *row);
bool page_row_integer(struct page_row *row, int64_t *ret_value);
/* Reads @count columns at once, which is faster. If it returns false, some of them were read. */
bool page_row_integers(struct page_row *row, int64_t *ret_values, size_t count);
/* An integer from 0 to @most. */
bool page_row_at_most(struct page_row *row, uint64_t most, uint64_t *ret_value);
/* Whatever the column holds. The bytes are borrowed for the visit. False: the row has no such value. */
bool page_row_datum(struct page_row *row, struct datum *ret_value);
/* A finite number. */
bool page_row_double(struct page_row *row, double *ret_value);
/* True if no column is left. */
bool page_row_end(const struct page_row *row);

struct pages;

/* The pages of the file that @db reads, which must not change until pages_close. A few of them are kept
 * in memory. NULL: the file is odd. */
struct pages *pages_open(sqlite3 *db);
void pages_close(struct pages *pages); /* NULL is fine */
/* Frees the pages that are in memory; @pages can be used further. NULL is fine. */
void pages_forget(struct pages *pages);
/* True if this table is laid out as in schema.sql. */
bool pages_know(struct pages *pages, const char *table);

/* Rows of a table. */
struct page_rows {
	const char *table;
	/* Names of its stored columns in order ("id,up,frame"); in a table without rowid the keys come
	 * first. */
	const char *columns;
	/* Rows with first_id <= id < end_id; both 0: all. Only for tables with a rowid. */
	int64_t first_id, end_id;
};

/* Calls @visit with each row. @visit returns 0 to go on; any other value ends the visit and is
 * returned. PAGES_ODD: some rows may have been visited. Ids and values are unchecked, as the file has
 * them. */
int pages_visit(struct pages *pages, const struct page_rows *rows,
		int (*visit)(void *context, struct page_row *row), void *context);
/* The same for all rows of one table, for callers that read no other. */
int pages_each(sqlite3 *db, const char *name, const char *columns,
	       int (*visit)(void *context, struct page_row *row), void *context);

#endif
