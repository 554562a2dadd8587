/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --columns: one key side by side. Every value of a key (a CPU, a thread, an event ...) is a class,
 * and each row of a table has its samples of each class. Shares are those of the class. If the
 * classes are events, one row covers all events; otherwise rows of different events are separate,
 * as in every table.
 */
#ifndef AGGREGATE_TABLES_CLASSES_H
#define AGGREGATE_TABLES_CLASSES_H

#include "aggregate/tables/table.h"
#include "base/cleanup.h"
#include "base/err.h"

enum {
	CLASSES_MAX = 4096,
	/* Rows times classes, 16 bytes each. */
	CLASSES_MAX_CELLS = 1 << 23,
};

struct class
{
	uint64_t value;
	struct hits sums[PROFILE_MAX_EVENTS]; /* all samples of the class, by event */
};

struct classes {
	const struct key *key;
	bool of_events; /* classes are events; rows have event 0, and no sums */
	/* Rows with the samples of all classes. If the classes are events, a row's weight is
	 * instead its largest share of an event, in millionths, and its samples are those of all
	 * events. */
	struct table *table;	 /* owned */
	VEC(struct class) items; /* numbers ascending; others with most samples first */
	/* Private. */
	const struct table *fine; /* borrowed */
	struct table *found;	  /* its rows: the classes in order of discovery */
	size_t *place;		  /* by row of @found: its class */
	struct hits *cells;	  /* see classes_cell */
};

/*
 * @fine: a table whose last key becomes the classes, not finished; borrowed until classes_finish.
 * @disjoint: the same samples in a table whose rows do not overlap, with that key as number @at:
 * @fine itself if it is not inclusive. -E2BIG and one line: too many classes. The caller frees with
 * classes_free.
 */
int classes_new(const struct table *fine, const struct table *disjoint, size_t at,
		struct classes **ret_classes, struct err *err);
/* Sorts and cuts the rows like table_finish, and fills their cells; before, there are none. -E2BIG
 * and one line: too many rows for so many classes. */
int classes_finish(struct classes *classes, double threshold, size_t limit, struct err *err);
void classes_free(struct classes *classes); /* NULL is fine */
DEFINE_CLEANUP(struct classes *, classes_free);

/* The hits of a row of the finished table in a class. */
const struct hits *classes_cell(const struct classes *classes, const struct table_row *row,
				size_t class);
/* Their share of the class, in percent. */
double classes_percent(const struct classes *classes, const struct table_row *row, size_t class);
/* Appends the name of the class, e.g. "0" or "worker". */
void classes_text(const struct classes *classes, size_t class, struct buf *buf);

#endif
