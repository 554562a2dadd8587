/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples by when they were taken and where in a tree they are: columns of time, each cut into as
 * many rows, and in each of these buckets the nodes that were hit. Where there would be too many of
 * those, columns become longer, by 5, 2, 5, 2 ... times, so that a length of 1 s stays a round one.
 */
#ifndef AGGREGATE_HEAT_H
#define AGGREGATE_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum {
	HEAT_MAX_COLUMNS = 1000,
	HEAT_MAX_ENTRIES = 1500000,
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
	VEC(struct heat_entry) entries; /* by bucket and node, once heat_finish was called */
	/* Private. */
	uint64_t end_ns;
	size_t most;	 /* entries */
	uint32_t factor; /* of the next lengthening */
};

/* @column_ns: 0: as long as suits the time from @origin_ns to @end_ns; it is made longer where
 * there would be more than HEAT_MAX_COLUMNS. @rows is 1 to HEAT_MAX_ROWS, 0: HEAT_ROWS. @most:
 * entries, 0: HEAT_MAX_ENTRIES. A bucket is a whole number of nanoseconds. */
void heat_init(struct heat *heat, uint64_t origin_ns, uint64_t end_ns, uint64_t column_ns,
	       uint32_t rows, size_t most);
/* Times before the origin count as the first bucket, those behind the end as the last. */
void heat_add(struct heat *heat, uint64_t time_ns, uint32_t node, uint64_t samples,
	      uint64_t weight);
/* No more will come. */
void heat_finish(struct heat *heat);
void heat_done(struct heat *heat);

#endif
