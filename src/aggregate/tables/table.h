/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --by: samples grouped by several keys. Different events are never added up. */
#ifndef AGGREGATE_TABLES_TABLE_H
#define AGGREGATE_TABLES_TABLE_H

#include "aggregate/estimate.h"
#include "aggregate/keys.h"
#include "aggregate/split.h"
#include "aggregate/tables/order.h"
#include "base/cleanup.h"
#include "base/hashidx.h"
#include "base/vec.h"

struct table_row {
	size_t values; /* index of its first value in table.values, one for each key */
	uint64_t samples;
	uint64_t weight;    /* in the event's unit */
	struct hits self;   /* of an inclusive table: hits there, not in a callee */
	double accumulated; /* percent, with the event's rows before it; once finished */
	uint8_t event;
};

/* Sums of one event within the selection. */
struct table_sum {
	uint64_t samples;
	uint64_t weight;
	double weight_squared;
	size_t rows; /* before table_finish cut any */
};

/* Private: the values of a table's keys about code, under one number: frames that are equal in all
 * keys have the same number. A frame is evaluated when it is first asked for, because some keys
 * open files. */
struct table_code {
	struct key_list keys;
	uint32_t *of_frame;   /* number + 1, by frame of the profile; 0: not yet evaluated */
	uint32_t count;	      /* of numbers */
	VEC(uint64_t) values; /* by number: one for each key */
	struct hashidx index;
};

struct table {
	const struct labels *labels; /* borrowed */
	struct key_list keys;
	bool inclusive;	    /* rows include their callees, have self, and overlap */
	bool by_self;	    /* an inclusive table is sorted and cut by self */
	bool accumulate;    /* for the printer: show accumulated percents */
	struct order order; /* for table_finish; default: heaviest first */
	double cover;	    /* for table_finish: percent to cover; 0: keep all rows */
	VEC(struct table_row) rows;
	VEC(uint64_t) values;
	struct table_sum sums[PROFILE_MAX_EVENTS];
	/* Private: rows by their values, if these have few combinations; else through the index. */
	size_t bounds[KEYS_MAX];
	uint32_t *direct; /* 0: no row yet, else its number + 1 */
	struct hashidx index;
	/* Private: the keys about code. With @by_number, one number stands for the values of all of
	 * them in bounds, in the place of the first. */
	struct table_code code;
	bool by_number;
	struct table_met *met; /* private: rows of points that table_find_all met last */
};

struct table *table_new(const struct labels *labels, const struct key_list *keys);
void table_free(struct table *table); /* NULL is fine */
DEFINE_CLEANUP(struct table *, table_free);

/* Adds @count points; many at once are faster than one by one. */
void table_add_all(struct table *table, const struct point *points, size_t count);
/* The same; also returns the index of each point's row in @ret_rows. */
void table_add_rows(struct table *table, const struct point *points, size_t count,
		    uint32_t *ret_rows);
/* The indices of the rows to which table_add_all would add the points. Adds nothing to them, and
 * creates missing rows. */
void table_find_all(struct table *table, const struct point *points, size_t count,
		    uint32_t *ret_rows);
/* For callers that compute rows and sums themselves: the row of these values, one for each key,
 * created if needed. Borrowed until the next is created. */
struct table_row *table_row(struct table *table, uint8_t event, const uint64_t *values);
/* Takes the sums of a table of the same samples by other keys, except for the numbers of rows. */
void table_copy_sums(struct table *table, const struct table *from);

/* The row's place in order of creation, which sorting does not change. */
static inline size_t table_number(const struct table *table, const struct table_row *row)
{
	return row->values / table->keys.count;
}

/* Sorts by event, then by table.order. Leaves out rows below @threshold percent of their event, all
 * but the first @limit (0: no limit) of each event, and those after the first that reach
 * table.cover percent together. The sums keep everything. */
void table_finish(struct table *table, double threshold, size_t limit);

/* Percent of the weight of the row's event. */
double table_percent(const struct table *table, const struct table_row *row);
/* The same for row->self of an inclusive table. */
double table_self_percent(const struct table *table, const struct table_row *row);
/* The 95 % interval of table_percent, as shares. */
struct interval table_interval(const struct table *table, const struct table_row *row);
/* The event for a view that shows one: the first with samples in the table that counts time, else
 * the first with samples, else 0. */
uint8_t table_main_event(const struct table *table);
/* The frame of a row of a table by address. False: the table has no such key. */
bool table_frame(const struct table *table, const struct table_row *row, uint32_t *ret_frame);
/* Appends the text of key number @key of the row. */
void table_text(const struct table *table, const struct table_row *row, size_t key,
		struct buf *buf);

#endif
