/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/cells.h"

void cells_init(struct cells *cells, uint64_t start_ns, uint64_t end_ns)
{
	*cells = (struct cells){ .start_ns = start_ns, .end_ns = end_ns };
}

void cells_done(struct cells *cells)
{
	vec_free(&cells->rows);
	hashidx_done(&cells->index);
}

static bool cell_equal(const void *owner, uint32_t id, const void *key)
{
	const struct cell *cell = &((const struct cells *)owner)->rows.items[id];
	const struct cell *wanted = key;

	return cell->row == wanted->row && cell->bin == wanted->bin;
}

static uint16_t bin_of(const struct cells *cells, uint64_t time_ns)
{
	double whole = (double)(cells->end_ns - cells->start_ns), part;

	if (time_ns <= cells->start_ns || cells->end_ns <= cells->start_ns)
		return 0;
	part = (double)(time_ns - cells->start_ns) / whole;
	return part >= 1 ? CELLS_BINS - 1 : (uint16_t)(part * CELLS_BINS);
}

void cells_add(struct cells *cells, uint32_t row, uint64_t time_ns, double weight)
{
	struct cell wanted = { .row = row, .bin = bin_of(cells, time_ns), .weight = weight };
	uint64_t hash = hash_u64((uint64_t)row << 16 | wanted.bin);
	uint32_t id;

	if (hashidx_find(&cells->index, hash, cell_equal, cells, &wanted, &id)) {
		cells->rows.items[id].weight += weight;
		return;
	}
	hashidx_add(&cells->index, hash, (uint32_t)cells->rows.count);
	*vec_push(&cells->rows) = wanted;
}

void cells_blocks(const double *bins, uint8_t *ret_block_of_bin)
{
	double whole = 0, before = 0;

	for (int bin = 0; bin < CELLS_BINS; bin++)
		whole += bins[bin];
	for (int bin = 0; bin < CELLS_BINS; bin++) {
		double middle = before + bins[bin] / 2;
		double block = whole > 0 ? middle / whole * CELLS_BLOCKS : 0;

		ret_block_of_bin[bin] =
			(uint8_t)(block < CELLS_BLOCKS - 1 ? block : CELLS_BLOCKS - 1);
		before += bins[bin];
	}
}
