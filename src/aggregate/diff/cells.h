/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the rows of a table were hit: the weight of each row in each small stretch of a run. From
 * these come blocks, stretches in which the same weight was sampled: the n-th block of a run does
 * about the same work as the n-th of another run of the same program, whatever else ran meanwhile.
 *
 * Samples come nearly in order of time: a row's cell is the one it had last, or a new one. Where
 * time goes back, as it does from one CPU to the next, a row may have a stretch in several cells.
 */
#ifndef AGGREGATE_DIFF_CELLS_H
#define AGGREGATE_DIFF_CELLS_H

#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"

enum {
	CELLS_BINS = 1024, /* stretches of time of a run */
	CELLS_BLOCKS = 24,
};

struct cell {
	uint32_t row;
	uint16_t bin; /* once they are merged: what this bin became */
	double weight;
};

struct cells {
	uint64_t start_ns, end_ns; /* of the run */
	VEC(struct cell) rows;
	VEC(uint32_t) latest; /* private: the number of a row's last cell + 1; 0: it has none */
};

/* A run from @start_ns to @end_ns, of which samples outside are put at its ends. */
void cells_init(struct cells *cells, uint64_t start_ns, uint64_t end_ns);
/* Rows are numbered from 0 on. */
void cells_add(struct cells *cells, uint32_t row, uint64_t time_ns, double weight);
/* After whoever knows a rougher one has written it into the bins of all cells: makes one of those
 * of a row that follow each other with the same, and keeps no more memory than they need. Nothing
 * can be added afterwards. */
void cells_merge(struct cells *cells);
void cells_done(struct cells *cells);

/* The block each bin belongs to, where @bins are the weights of all that was sampled. */
void cells_blocks(const double *bins, uint8_t *ret_block_of_bin);

#endif
