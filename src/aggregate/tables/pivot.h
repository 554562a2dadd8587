/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --columns: one key side by side. Every value of a key (a CPU, a thread, an event ...) is a
 * column, and each row of a table has its samples of each column. Shares are those of the column.
 * If the columns are events, one row covers all events; otherwise rows of different events are
 * separate, as in every table.
 */
#ifndef AGGREGATE_TABLES_PIVOT_H
#define AGGREGATE_TABLES_PIVOT_H

#include "aggregate/tables/table.h"
#include "base/cleanup.h"
#include "base/err.h"

enum {
	PIVOT_MAX_COLUMNS = 4096,
	/* Rows times columns, 16 bytes each. */
	PIVOT_MAX_CELLS = 1 << 23,
};

struct pivot_column {
	uint64_t value;
	struct hits sums[PROFILE_MAX_EVENTS]; /* all samples of the column, by event */
};

struct pivot {
	const struct key *key;
	bool of_events; /* columns are events; rows have event 0, and no sums */
	/* Rows with the samples of all columns. If the columns are events, a row's weight is
	 * instead its largest share of an event, in millionths, and its samples are those of all
	 * events. */
	struct table *table;		  /* owned */
	VEC(struct pivot_column) columns; /* numbers ascending; others with most samples first */
	/* Private. */
	const struct table *fine; /* borrowed */
	struct table *found;	  /* its rows: the columns in order of discovery */
	size_t *place;		  /* by row of @found: its column */
	struct hits *cells;	  /* see pivot_cell */
};

/*
 * @fine: a table whose last key becomes columns, not finished; borrowed until pivot_finish.
 * @disjoint: the same samples in a table whose rows do not overlap, with that key as number @at:
 * @fine itself if it is not inclusive. -E2BIG and one line: too many columns. The caller frees with
 * pivot_free.
 */
int pivot_new(const struct table *fine, const struct table *disjoint, size_t at,
	      struct pivot **ret_pivot, struct err *err);
/* Sorts and cuts the rows like table_finish, and fills their cells; before, there are none. -E2BIG
 * and one line: too many rows for so many columns. */
int pivot_finish(struct pivot *pivot, double threshold, size_t limit, struct err *err);
void pivot_free(struct pivot *pivot); /* NULL is fine */
DEFINE_CLEANUP(struct pivot *, pivot_free);

/* The hits of a row of the finished table in a column. */
const struct hits *pivot_cell(const struct pivot *pivot, const struct table_row *row,
			      size_t column);
/* Their share of the column, in percent. */
double pivot_percent(const struct pivot *pivot, const struct table_row *row, size_t column);
/* Appends the name of the column, e.g. "0" or "worker". */
void pivot_text(const struct pivot *pivot, size_t column, struct buf *buf);

#endif
