/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/cells.h"

#include "base/xalloc.h"

void cells_init(struct cells *cells, uint64_t start_ns, uint64_t end_ns)
{
	*cells = (struct cells){ .start_ns = start_ns, .end_ns = end_ns };
}

void cells_done(struct cells *cells)
{
	vec_free(&cells->rows);
	vec_free(&cells->latest);
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
	struct cell cell = { .row = row, .bin = bin_of(cells, time_ns), .weight = weight };
	uint32_t latest;

	while (cells->latest.count <= row)
		*vec_push(&cells->latest) = 0;
	latest = cells->latest.items[row];
	if (latest && cells->rows.items[latest - 1].bin == cell.bin) {
		cells->rows.items[latest - 1].weight += weight;
		return;
	}
	*vec_push(&cells->rows) = cell;
	cells->latest.items[row] = (uint32_t)cells->rows.count;
}

void cells_merge(struct cells *cells)
{
	size_t count = cells->rows.count;

	for (size_t row = 0; row < cells->latest.count; row++)
		cells->latest.items[row] = 0;
	cells->rows.count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct cell *cell = &cells->rows.items[i];
		uint32_t *latest = &cells->latest.items[cell->row];

		if (*latest && cells->rows.items[*latest - 1].bin == cell->bin) {
			cells->rows.items[*latest - 1].weight += cell->weight;
			continue;
		}
		cells->rows.items[cells->rows.count++] = *cell;
		*latest = (uint32_t)cells->rows.count;
	}
	vec_free(&cells->latest);
	cells->rows.capacity = cells->rows.count + 1;
	cells->rows.items =
		xrealloc(cells->rows.items, cells->rows.capacity * sizeof(*cells->rows.items));
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
