/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a large table straight from the pages of the file, in the order SQLite gives them: a
 * statement costs some 0.3 us a row, this a tenth of it. Only plain tables are understood: those
 * whose columns stand in the file as schema.sql has them, without rows longer than a page; of
 * everything else it is said that it is odd, and SQLite must be asked, which also knows what is
 * damaged about it. The pages are those of the read transaction that is open (fileformat2, sections
 * 1.6 and 2.1).
 */
#ifndef STORE_PAGES_H
#define STORE_PAGES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/reader.h"

/* What pages_each returns when SQLite must be asked. */
enum { PAGES_ODD = 1 };

/* A row: its columns are read one after the other. */
struct page_row {
	int64_t id;	      /* the rowid; 0 in a table without */
	struct reader types;  /* private */
	struct reader values; /* private */
};

/* The next column. False: it holds something else, which is skipped. A rowid's own column holds
 * NULL. */
bool page_row_null(struct page_row *row);
bool page_row_integer(struct page_row *row, int64_t *ret_value);
/* The next @count columns at once, which is faster; on false some of them were read. */
bool page_row_integers(struct page_row *row, int64_t *ret_values, size_t count);
/* An integer from 0 to @most. */
bool page_row_at_most(struct page_row *row, uint64_t most, uint64_t *ret_value);
/* A finite number. */
bool page_row_double(struct page_row *row, double *ret_value);
/* Were these all columns? */
bool page_row_end(const struct page_row *row);

/*
 * Calls @visit with each row of the table @name, whose stored columns are called @columns in this
 * order ("id,up,frame"): of a table without rowid its keys first. @visit returns 0 to go on; all
 * else ends the visit and is returned. PAGES_ODD: rows may have been visited or not; their ids, and
 * everything of them, are what the file says and nobody checked.
 */
int pages_each(sqlite3 *db, const char *name, const char *columns,
	       int (*visit)(void *context, struct page_row *row), void *context);

#endif
