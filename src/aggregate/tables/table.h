/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --by: samples grouped by several keys. Different events are never added up. */
#ifndef AGGREGATE_TABLES_TABLE_H
#define AGGREGATE_TABLES_TABLE_H

#include "aggregate/estimate.h"
#include "aggregate/frame_values.h"
#include "aggregate/keys.h"
#include "aggregate/split.h"
#include "aggregate/tables/order.h"
#include "base/cleanup.h"
#include "base/vec.h"

struct table_row {
	size_t values; /* index of its first value in table.values: one for each key */
	uint64_t samples;
	uint64_t weight;    /* in the event's unit */
	struct hits self;   /* of an inclusive table: what was hit there and not in a callee */
	double accumulated; /* percent, with those of the event before it, once it is finished */
	uint8_t event;
};

/* All of one event within the selection. */
struct table_sum {
	uint64_t samples;
	uint64_t weight;
	double weight_squared;
	size_t rows; /* before table_finish cut any */
};

struct table {
	const struct labels *labels; /* borrowed */
	struct key_list keys;
	bool inclusive;	    /* rows have what their callees had too, and self; they overlap */
	bool by_self;	    /* an inclusive one is sorted and cut by self */
	bool accumulate;    /* for whoever prints it: show what rows come to together */
	struct order order; /* of table_finish; the heaviest first when nothing is said */
	double cover;	    /* the same: percent that the rows kept come to; 0: all are kept */
	VEC(struct table_row) rows;
	VEC(uint64_t) values;
	struct table_sum sums[PROFILE_MAX_EVENTS];
	/* Private: rows by their values, where these are few enough, else through the index. */
	size_t bounds[KEYS_MAX];
	uint32_t *direct; /* 0: no row yet, else its number + 1 */
	struct hashidx index;
	/* Private: keys that are about code. Where @by_number, what stands for the values of all of
	 * them among bounds is their number, at the first of them. */
	struct frame_values code;
	bool by_number;
};

struct table *table_new(const struct labels *labels, const struct key_list *keys);
void table_free(struct table *table); /* NULL is fine */
DEFINE_CLEANUP(struct table *, table_free);

/* Returns the row the point was added to, borrowed until the next is made. */
const struct table_row *table_add(struct table *table, const struct point *point);
/* The same of @count points, which is faster than one by one. */
void table_add_all(struct table *table, const struct point *points, size_t count);
/* The same, and tells the number of the row of each in @ret_rows. */
void table_add_rows(struct table *table, const struct point *points, size_t count,
		    uint32_t *ret_rows);
/* The numbers of the rows that table_add_all would add the points to; nothing is added to these,
 * and those that are missing are made. */
void table_find_all(struct table *table, const struct point *points, size_t count,
		    uint32_t *ret_rows);
/* For whoever works out rows and sums himself: the row of these values, one for each key, made when
 * there is none. Borrowed until the next is made. */
struct table_row *table_row(struct table *table, uint8_t event, const uint64_t *values);
/* Sorts by event, then as table.order says; leaves out rows below @threshold percent of their event
 * and all but the first @limit (0: no limit) of each event, and those behind the first that come to
 * table.cover percent of it together. The sums keep everything. */
void table_finish(struct table *table, double threshold, size_t limit);

/* Percent of the weight of the row's event. */
double table_percent(const struct table *table, const struct table_row *row);
/* The same of row->self, for an inclusive table. */
double table_self_percent(const struct table *table, const struct table_row *row);
/* The 95 % interval of table_percent, as shares. */
struct interval table_interval(const struct table *table, const struct table_row *row);
/* What a view that shows one event shows: the first with samples in the table that counts time,
 * else the first with samples, else 0. */
uint8_t table_main_event(const struct table *table);
/* The frame of a row of a table by address. False: the key is not one of the table's. */
bool table_frame(const struct table *table, const struct table_row *row, uint32_t *ret_frame);
/* Appends the text of key number @key of the row. */
void table_text(const struct table *table, const struct table_row *row, size_t key,
		struct buf *buf);

#endif
