/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The weight of a row in a bin, in however many cells. */
static double weight_of(const struct cells *cells, uint32_t row, uint16_t bin)
{
	double weight = 0;

	for (size_t i = 0; i < cells->rows.count; i++) {
		const struct cell *cell = &cells->rows.items[i];

		if (cell->row == row && cell->bin == bin)
			weight += cell->weight;
	}
	return weight;
}

/* Bins of 10 ns; what is outside of the run is in the first or the last. */
static void init(struct cells *cells)
{
	cells_init(cells, 1000, 1000 + 10 * CELLS_BINS);
}

static void samples_of_a_stretch_are_one_cell(void **state)
{
	struct cells cells;

	(void)state;
	init(&cells);
	cells_add(&cells, 7, 1000, 1);
	cells_add(&cells, 2, 1001, 2);
	cells_add(&cells, 7, 1009, 4);
	cells_add(&cells, 7, 1010, 8);
	cells_add(&cells, 7, 5, 16);
	cells_add(&cells, 7, UINT64_MAX, 32);
	assert_int_equal(cells.rows.count, 5);
	assert_true(weight_of(&cells, 7, 0) == 1 + 4 + 16);
	assert_true(weight_of(&cells, 2, 0) == 2);
	assert_true(weight_of(&cells, 7, 1) == 8);
	assert_true(weight_of(&cells, 7, CELLS_BINS - 1) == 32);
	cells_done(&cells);
}

/* The samples of one processor after those of another: nothing is lost or counted for others. */
static void time_may_go_back(void **state)
{
	struct cells cells;

	(void)state;
	init(&cells);
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		for (uint64_t bin = 0; bin < 8; bin++)
			cells_add(&cells, (uint32_t)bin % 2, 1000 + 10 * bin, 1 + cpu);
	}
	for (uint16_t bin = 0; bin < 8; bin++) {
		assert_true(weight_of(&cells, bin % 2, bin) == 1 + 2 + 3);
		assert_true(weight_of(&cells, 1 - bin % 2, bin) == 0);
	}
	cells_done(&cells);
}

static void rougher_bins_are_merged(void **state)
{
	struct cells cells;

	(void)state;
	init(&cells);
	for (uint64_t bin = 0; bin < 8; bin++) {
		cells_add(&cells, 0, 1000 + 10 * bin, 1);
		cells_add(&cells, 3, 1000 + 10 * bin, 10);
	}
	assert_int_equal(cells.rows.count, 16);
	for (size_t i = 0; i < cells.rows.count; i++)
		cells.rows.items[i].bin /= 4;
	cells_merge(&cells);
	assert_int_equal(cells.rows.count, 4);
	for (uint16_t bin = 0; bin < 2; bin++) {
		assert_true(weight_of(&cells, 0, bin) == 4);
		assert_true(weight_of(&cells, 3, bin) == 40);
	}
	cells_done(&cells);
	/* Of nothing comes nothing. */
	init(&cells);
	cells_merge(&cells);
	assert_int_equal(cells.rows.count, 0);
	cells_done(&cells);
}

/* Blocks have the same weight each, however unevenly it is spread over time. */
static void blocks_are_of_equal_weight(void **state)
{
	double bins[CELLS_BINS] = { 0 }, weights[CELLS_BLOCKS] = { 0 };
	uint8_t block_of[CELLS_BINS];

	(void)state;
	for (int bin = 0; bin < CELLS_BINS; bin++)
		bins[bin] = bin < CELLS_BINS / 4 ? 3 : bin < CELLS_BINS / 2 ? 0 : 0.5;
	cells_blocks(bins, block_of);
	for (int bin = 0; bin < CELLS_BINS; bin++)
		weights[block_of[bin]] += bins[bin];
	for (int block = 0; block < CELLS_BLOCKS; block++) {
		assert_true(weights[block] > 1024.0 / CELLS_BLOCKS - 3.1);
		assert_true(weights[block] < 1024.0 / CELLS_BLOCKS + 3.1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_a_stretch_are_one_cell),
		cmocka_unit_test(time_may_go_back),
		cmocka_unit_test(rougher_bins_are_merged),
		cmocka_unit_test(blocks_are_of_equal_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
