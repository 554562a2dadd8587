/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the rows of a table were hit: the weight of each row in each small stretch of a run. From
 * these come blocks, stretches in which the same weight was sampled: the n-th block of a run does
 * about the same work as the n-th of another run of the same program, whatever else ran meanwhile.
 */
#ifndef AGGREGATE_CELLS_H
#define AGGREGATE_CELLS_H

#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

enum {
	CELLS_BINS = 1024, /* stretches of time of a run */
	CELLS_BLOCKS = 24,
};

struct cell {
	uint32_t row;
	uint16_t bin;
	double weight;
};

struct cells {
	uint64_t start_ns, end_ns; /* of the run */
	VEC(struct cell) rows;
	struct hashidx index; /* private */
};

/* A run from @start_ns to @end_ns, of which samples outside are put at its ends. */
void cells_init(struct cells *cells, uint64_t start_ns, uint64_t end_ns);
void cells_add(struct cells *cells, uint32_t row, uint64_t time_ns, double weight);
void cells_done(struct cells *cells);

/* The block each bin belongs to, where @bins are the weights of all that was sampled. */
void cells_blocks(const double *bins, uint8_t *ret_block_of_bin);

#endif
