/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples by when they were taken and where in a tree they are: columns of time, each cut into as
 * many rows, and in each of these buckets the nodes that were hit. Where there are too many of
 * those, buckets can be made longer, by 5, 2, 5, 2 ... times, so that lengths stay round, or nodes
 * be put together.
 */
#ifndef AGGREGATE_TREES_HEAT_H
#define AGGREGATE_TREES_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum {
	HEAT_MAX_COLUMNS = 1000,
	HEAT_FEW_COLUMNS = 100,
	HEAT_MAX_ROWS = 1000,
	HEAT_ROWS = 50, /* if nothing else is said */
};

struct heat_entry {
	uint32_t bucket; /* column * rows + row */
	uint32_t node;
	uint64_t samples, weight;
};

struct heat {
	uint64_t origin_ns; /* of the first column, by the clock of samples */
	uint64_t bucket_ns;
	uint32_t rows; /* of a column */
	uint32_t columns;
	VEC(struct heat_entry) entries; /* by bucket and node after heat_merge */
	uint64_t end_ns;		/* private, and the next */
	uint32_t factor;		/* of the next lengthening */
	size_t merged;			/* so many entries are as after heat_merge */
};

/* @column_ns: 0: as long as suits the time from @origin_ns to @end_ns; it is made longer where
 * there would be more than HEAT_MAX_COLUMNS. @rows is 1 to HEAT_MAX_ROWS, 0: HEAT_ROWS. A bucket is
 * a whole number of nanoseconds. */
void heat_init(struct heat *heat, uint64_t origin_ns, uint64_t end_ns, uint64_t column_ns,
	       uint32_t rows);
void heat_done(struct heat *heat);

/* Times before the origin count as the first bucket, those behind the end as the last. May merge
 * the entries; that costs little where samples come nearly in order of time. */
void heat_add(struct heat *heat, uint64_t time_ns, uint32_t node, uint64_t samples,
	      uint64_t weight);

/* Sorts the entries, and makes one of those in the same place. */
void heat_merge(struct heat *heat);
/* The same with longer buckets: longer columns or, where these would be few, less rows. False: all
 * is in one bucket already. */
bool heat_lengthen(struct heat *heat);
/* The same with @to by node in the place of nodes. */
void heat_map(struct heat *heat, const uint32_t *to);

#endif
