/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the rows of a table were hit: the weight of each row in short stretches of a run. From these
 * we make blocks, stretches with equal sampled weight: the n-th block of a run does about the same
 * work as the n-th of another run of the same program, whatever else ran meanwhile.
 *
 * Samples arrive nearly in order of time, so a sample goes into the row's last cell or a new one.
 * If time goes back, as from one CPU to the next, a row may have several cells for one stretch.
 */
#ifndef AGGREGATE_DIFF_CELLS_H
#define AGGREGATE_DIFF_CELLS_H

#include <stdint.h>

#include "base/vec.h"

enum {
	CELLS_BINS = 1024, /* stretches of time in a run */
	CELLS_BLOCKS = 24,
};

struct cell {
	uint32_t row;
	uint16_t bin; /* after cells_merge: the coarser bin */
	double weight;
};

struct cells {
	uint64_t start_ns, end_ns; /* of the run */
	VEC(struct cell) rows;
	VEC(uint32_t) latest; /* private: index of a row's last cell + 1; 0: none */
};

/* A run from @start_ns to @end_ns. Samples outside count at its ends. */
void cells_init(struct cells *cells, uint64_t start_ns, uint64_t end_ns);
/* Adds a sample of @row; rows are numbered from 0. */
void cells_add(struct cells *cells, uint32_t row, uint64_t time_ns, double weight);
/* Call this after replacing the bins of all cells with coarser ones: merges consecutive cells of a
 * row with the same bin, and frees spare memory. Nothing can be added afterwards. */
void cells_merge(struct cells *cells);
void cells_done(struct cells *cells);

/* The block of each bin: both arrays have CELLS_BINS elements. @bins: the weights of all
 * samples. */
void cells_blocks(const double *bins, uint8_t *ret_block_of_bin);

#endif
