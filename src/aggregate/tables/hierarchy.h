/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --hierarchy: rows below one another. Below each value of the first key stand those of the second
 * that were found with it, and so on; each row is the sum of those right below it. */
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
	VEC(struct hierarchy_row) rows; /* those to be shown, each below the one it is part of */
	size_t left_out[PROFILE_MAX_EVENTS]; /* rows below @threshold or behind @limit */
};

/* @table: one that is not inclusive and not finished; only read, and not needed afterwards.
 * Rows below @threshold percent of their event are left out, with all below them, and all but the
 * first @limit (0: no limit) of those with the same row above; the order is table->order for each
 * level, without the keys it does not have. The caller frees. */
struct hierarchy *hierarchy_new(const struct table *table, double threshold, size_t limit);
void hierarchy_free(struct hierarchy *hierarchy); /* NULL is fine */
DEFINE_CLEANUP(struct hierarchy *, hierarchy_free);

#endif
