/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples by time, by lane (a group of threads) and by node of a tree: columns of time, each divided
 * into the same number of rows, which gives buckets that hold the nodes hit in them. To have fewer
 * entries, buckets can be made longer, by 5, 2, 5, 2 ... times, so that lengths stay round, or nodes
 * can be merged.
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
	HEAT_ROWS = 50, /* the default */
	HEAT_NODE_BITS = 24,
};

struct heat_entry {
	uint32_t bucket; /* column * rows + row */
	uint32_t node : HEAT_NODE_BITS;
	uint32_t lane : 8;
	uint64_t samples, weight;
};

struct heat {
	uint64_t origin_ns; /* of the first column, by the clock of samples */
	uint64_t bucket_ns;
	uint32_t rows; /* of a column */
	uint32_t columns;
	VEC(struct heat_entry) entries; /* by bucket, lane, node after heat_merge */
	uint64_t end_ns;		/* private, as are the next ones */
	uint32_t factor;		/* of the next lengthening */
	size_t merged;			/* that many entries are sorted and merged */
	struct recent *recent;		/* owned: entries that were added last, by their places */
	uint32_t last;			/* the bucket of the sample before, and where it begins */
	uint64_t last_from_ns;
};

/* @column_ns: 0: chosen to suit the time from @origin_ns to @end_ns. It is lengthened if there
 * would be more than HEAT_MAX_COLUMNS columns. @rows is 1 to HEAT_MAX_ROWS, 0: HEAT_ROWS. A bucket
 * is a whole number of nanoseconds. */
void heat_init(struct heat *heat, uint64_t origin_ns, uint64_t end_ns, uint64_t column_ns,
	       uint32_t rows);
void heat_done(struct heat *heat);

/* @node: of a tree that has no more than TREE_MAX_NODES. Times before the origin count in the first
 * bucket, those after the end in the last. May merge the entries, which costs little if samples
 * arrive nearly in order of time. */
void heat_add(struct heat *heat, uint64_t time_ns, uint8_t lane, uint32_t node, uint64_t samples,
	      uint64_t weight);
/* The same for what lasted until @end_ns, @length_ns in all: each bucket has the ns that lie in it as
 * weight. The samples count where it ended. Returns the number of these buckets. */
size_t heat_add_lasting(struct heat *heat, uint64_t end_ns, uint8_t lane, uint32_t node,
			uint64_t samples, uint64_t length_ns);

/* Sorts the entries, and merges those with the same bucket, lane and node. */
void heat_merge(struct heat *heat);
/* Merges with longer buckets: longer columns or, if these would be few, fewer rows. False:
 * everything is in one bucket already. */
bool heat_lengthen(struct heat *heat);
/* Merges with each node replaced by @to[node]. */
void heat_map(struct heat *heat, const uint32_t *to);

#endif
