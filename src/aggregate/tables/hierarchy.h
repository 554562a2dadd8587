/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --hierarchy: nested rows. Below each value of the first key are the values of the second that
 * occurred with it, and so on; each row is the sum of those directly below it. */
#ifndef AGGREGATE_TABLES_HIERARCHY_H
#define AGGREGATE_TABLES_HIERARCHY_H

#include "aggregate/tables/table.h"
#include "base/cleanup.h"
#include "base/vec.h"

struct hierarchy_row {
	size_t level;		     /* 0: of the first key alone */
	const struct table_row *row; /* of levels[level]; borrowed */
};

struct hierarchy {
	struct table *levels[KEYS_MAX]; /* [i]: by the first i + 1 keys; owned */
	size_t count;
	VEC(struct hierarchy_row) rows;	     /* the rows to show, in depth-first order */
	size_t left_out[PROFILE_MAX_EVENTS]; /* rows below @threshold or beyond @limit */
};

/* @table: not inclusive and not finished; only read, and not needed afterwards. Leaves out rows
 * below @threshold percent of their event, with all rows below them, and all but the first @limit
 * (0: no limit) rows with the same parent. The order of each level is table->order without the keys
 * that the level does not have. The caller frees. */
struct hierarchy *hierarchy_new(const struct table *table, double threshold, size_t limit);
void hierarchy_free(struct hierarchy *hierarchy); /* NULL is fine */
DEFINE_CLEANUP(struct hierarchy *, hierarchy_free);

#endif
