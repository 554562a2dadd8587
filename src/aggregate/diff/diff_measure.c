/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/diff_measure.h"

#include <math.h>
#include <stdlib.h>

#include "aggregate/diff/spread.h"
#include "aggregate/student.h"
#include "base/cleanup.h"
#include "base/xalloc.h"

/* If chance explains the difference between longer and short stretches with less probability than
 * this, the longer ones are used. */
static const double by_chance = 0.05;

/* ---- cells and blocks of a run ---- */

/* True, with its number, if the cell belongs to a row of the table; else it belongs to a probe. */
static bool is_of_row(const struct diff_run *run, const struct cell *cell, uint32_t *ret_row)
{
	uint32_t first = diff_row_cell(run->probe_count, 0);

	*ret_row = cell->row - first;
	return cell->row >= first;
}

/* The diff's event of a cell. Probes have cells only for events that the table has. */
static uint8_t event_of_cell(const struct diff_run *run, const struct cell *cell)
{
	uint32_t row;

	return is_of_row(run, cell, &row) ? run->rows.items[row].event
					  : run->event_of[cell->row % PROFILE_MAX_EVENTS];
}

static void find_blocks(const struct diff_run *run, uint8_t (*ret_blocks)[CELLS_BINS])
{
	double(*bins)[CELLS_BINS] = xcalloc(PROFILE_MAX_EVENTS, sizeof(*bins));

	for (size_t i = 0; i < run->cells.rows.count; i++) {
		const struct cell *cell = &run->cells.rows.items[i];
		uint32_t row;

		if (is_of_row(run, cell, &row))
			bins[run->rows.items[row].event][cell->bin] += cell->weight;
	}
	for (size_t event = 0; event < PROFILE_MAX_EVENTS; event++)
		cells_blocks(bins[event], ret_blocks[event]);
	free(bins);
}

void diff_measure_cells(struct diff_run *run)
{
	uint8_t(*block_of)[CELLS_BINS];

	block_of = xcalloc(PROFILE_MAX_EVENTS, sizeof(*block_of));
	find_blocks(run, block_of);
	for (size_t i = 0; i < run->cells.rows.count; i++) {
		struct cell *cell = &run->cells.rows.items[i];

		cell->bin = block_of[event_of_cell(run, cell)][cell->bin];
	}
	cells_merge(&run->cells);
	free(block_of);
}

/* ---- blocks of all runs, by row ---- */

struct block_weight {
	uint8_t block;
	double weight;
};

/* The weights of one run, grouped by row. */
struct run_blocks {
	const struct diff_run *run;
	size_t *first; /* by row, and one more: index of its first weight */
	struct block_weight *weights;
	double whole[PROFILE_MAX_EVENTS][CELLS_BLOCKS]; /* of all rows */
};

/* The weights of rows by block, to compare the n-th blocks of all runs. */
struct blocks {
	const struct diff_row *rows;
	struct run_blocks *runs; /* the old ones first */
	size_t count;
};

enum { NO_ROW = UINT32_MAX };

/* The diff's row of a cell; NO_ROW: a cell for another event than its probe's row. */
static uint32_t row_of_cell(const struct diff_run *run, const struct cell *cell,
			    const struct diff_row *rows)
{
	uint32_t row;

	if (is_of_row(run, cell, &row))
		return run->row_of[row];
	row = run->probe_base + cell->row / PROFILE_MAX_EVENTS;
	return event_of_cell(run, cell) == rows[row].event ? row : NO_ROW;
}

static void count_cells(struct run_blocks *blocks, const struct diff_row *rows, size_t count)
{
	const struct cells *cells = &blocks->run->cells;

	blocks->first = xcalloc(count + 2, sizeof(*blocks->first));
	for (size_t i = 0; i < cells->rows.count; i++) {
		uint32_t row = row_of_cell(blocks->run, &cells->rows.items[i], rows);

		if (row != NO_ROW)
			blocks->first[row + 2]++;
	}
	for (size_t i = 2; i < count + 2; i++)
		blocks->first[i] += blocks->first[i - 1];
}

/* While the weights of a row are placed, first[row + 1] advances to where the next row begins. */
static void sort_cells(struct run_blocks *blocks, const struct diff_row *rows)
{
	const struct cells *cells = &blocks->run->cells;

	blocks->weights = xcalloc(cells->rows.count, sizeof(*blocks->weights));
	for (size_t i = 0; i < cells->rows.count; i++) {
		const struct cell *cell = &cells->rows.items[i];
		uint32_t row = row_of_cell(blocks->run, cell, rows), own;

		if (row == NO_ROW)
			continue;
		blocks->weights[blocks->first[row + 1]++] =
			(struct block_weight){ (uint8_t)cell->bin, cell->weight };
		if (is_of_row(blocks->run, cell, &own))
			blocks->whole[rows[row].event][cell->bin] += cell->weight;
	}
}

/* @rows: those that diff_run.row_of refers to. Every run must have cells. */
static struct blocks *blocks_new(const struct diff *diff, const struct diff_row *rows, size_t count)
{
	struct blocks *blocks = xcalloc(1, sizeof(*blocks));
	size_t filled[DIFF_SIDES] = { 0, diff->run_count[DIFF_OLD] };

	blocks->rows = rows;
	blocks->count = diff->runs.count;
	blocks->runs = xcalloc(blocks->count, sizeof(*blocks->runs));
	for (size_t i = 0; i < blocks->count; i++) {
		enum diff_side side = diff->runs.items[i].side;
		struct run_blocks *run = &blocks->runs[filled[side]++];

		run->run = &diff->runs.items[i];
		count_cells(run, rows, count);
		sort_cells(run, rows);
	}
	return blocks;
}

static void blocks_free(struct blocks *blocks)
{
	if (!blocks)
		return;
	for (size_t i = 0; i < blocks->count; i++) {
		free(blocks->runs[i].first);
		free(blocks->runs[i].weights);
	}
	free(blocks->runs);
	free(blocks);
}

/* What each block contributes to the measure of a row. */
struct block_parts {
	double measure[CELLS_BLOCKS]; /* of a share: above its expected share */
	double plain[CELLS_BLOCKS];
};

/* Adds the parts of one run, multiplied by @sign. */
static void add_run_parts(const struct run_blocks *run, const struct diff_row *rows,
			  enum diff_measure measure, size_t row, double sign,
			  struct block_parts *parts)
{
	uint8_t event = rows[row].event;
	double whole = (double)run->run->sums[event].weight, sum = 0;
	double one = measure == DIFF_SHARE  ? sign / whole
		     : measure == DIFF_RATE ? sign / run->run->wall_s
					    : sign;
	double weights[CELLS_BLOCKS] = { 0 };

	for (size_t i = run->first[row]; i < run->first[row + 1]; i++) {
		weights[run->weights[i].block] += run->weights[i].weight;
		sum += run->weights[i].weight;
	}
	/* Weights are integers, so a row that has all the weight leaves exactly 0. */
	for (int block = 0; block < CELLS_BLOCKS; block++) {
		double expected =
			measure == DIFF_SHARE ? sum / whole * run->whole[event][block] : 0;

		parts->plain[block] += weights[block] * one;
		parts->measure[block] += (weights[block] - expected) * one;
	}
}

/* For two runs, from the differences of their blocks. */
static struct seen_variance blocks_variance(const struct blocks *blocks, enum diff_measure measure,
					    size_t row)
{
	struct block_parts differences = { 0 };

	for (size_t i = 0; i < blocks->count; i++)
		add_run_parts(&blocks->runs[i], blocks->rows, measure, row,
			      blocks->runs[i].run->side == DIFF_OLD ? -1 : 1, &differences);
	return change_of_pairs(differences.measure, differences.plain, CELLS_BLOCKS);
}

/* The parts of runs @from to @end, minus their mean. */
static void unlike_parts(const struct blocks *blocks, size_t row, size_t from, size_t end,
			 struct block_parts *parts)
{
	struct block_parts mean = { 0 };
	double count = (double)(end - from);

	for (size_t i = from; i < end; i++) {
		parts[i - from] = (struct block_parts){ 0 };
		add_run_parts(&blocks->runs[i], blocks->rows, DIFF_SHARE, row, 1, &parts[i - from]);
		for (int block = 0; block < CELLS_BLOCKS; block++)
			mean.measure[block] += parts[i - from].measure[block] / count;
	}
	for (size_t i = 0; i < end - from; i++) {
		for (int block = 0; block < CELLS_BLOCKS; block++)
			parts[i].measure[block] -= mean.measure[block];
	}
}

/* Merges @together neighbours into one block. The sum of squares that gives the variance of a run's
 * share when divided by the degrees of freedom of the runs alone. */
static double squares_of(const struct block_parts *parts, size_t count, int together)
{
	int blocks = CELLS_BLOCKS / together;
	double squares = 0;

	for (size_t run = 0; run < count; run++) {
		for (int block = 0; block < CELLS_BLOCKS; block += together) {
			double sum = 0;

			for (int i = 0; i < together; i++)
				sum += parts[run].measure[block + i];
			squares += sum * sum;
		}
	}
	return squares * blocks / (blocks - 1);
}

/*
 * How many times as much as with independent samples a row's share varies within runs, from how
 * much the n-th blocks of the runs of one side differ: a two-way analysis of variance, which
 * subtracts what a run has in all blocks and what a block has in all runs. If a side has a single
 * run, the runs of both sides count together. Longer blocks are used if they differ by more than
 * chance explains, as in change_of_pairs. @variances: by run, the old ones first: the variance of
 * its share for independent samples.
 */
static double blocks_bursts(const struct blocks *blocks, size_t row, size_t old_count,
			    const double *variances)
{
	static const int together[] = { 1, 2, 4 };
	enum { LENGTHS = sizeof(together) / sizeof(together[0]) };
	_cleanup_free_ struct block_parts *parts = xcalloc(blocks->count, sizeof(*parts));
	bool one_group = old_count < 2 || blocks->count - old_count < 2;
	size_t border = one_group ? blocks->count : old_count;
	double squares[LENGTHS] = { 0 }, freedom = 0, expected = 0;

	for (size_t from = 0, end = border; from < blocks->count; from = end, end = blocks->count) {
		double count = (double)(end - from);

		unlike_parts(blocks, row, from, end, parts);
		for (size_t i = from; i < end; i++)
			expected += variances[i] * (count - 1) / count;
		freedom += count - 1;
		for (int i = 0; i < LENGTHS; i++)
			squares[i] += squares_of(parts, end - from, together[i]);
	}
	if (!(expected > 0) || !(squares[0] > 0))
		return 1;
	for (int i = LENGTHS; --i > 0;) {
		int n = CELLS_BLOCKS / together[i];

		if (student_f_p(squares[i] / squares[0], freedom * (n - 1),
				freedom * (CELLS_BLOCKS - 1)) < by_chance)
			return squares[i] / expected;
	}
	return squares[0] / expected;
}

/* ---- measuring ---- */

static struct measured measure_run(const struct diff_run *run, const struct diff_event *event,
				   uint8_t number, enum diff_measure measure, uint64_t weight)
{
	const struct table_sum *sum = &run->sums[number];
	double whole = (double)sum->weight, squared = sum->weight_squared;
	double one = measure == DIFF_SHARE ? 1 / whole : measure == DIFF_RATE ? 1 / run->wall_s : 1;
	double per_sample = squared / whole * one;

	return (struct measured){ .value = (double)weight * one,
				  .exposure = event->is_exact ? INFINITY : 1 / per_sample };
}

/* How much runs of one program usually differ, relative to a row, as far as the runs themselves do
 * not show it: for the program's own work, and for the kernel's, which other programs and devices
 * influence. */
static const double usual_between[] = { 0.05, 0.3 };

enum { IS_USER, IS_KERNEL, CLASSES, SPREADS = PROFILE_MAX_EVENTS * DIFF_MEASURES * CLASSES };

/* Measures rows one after the other. */
struct measuring {
	const struct diff *diff;
	struct blocks *blocks; /* NULL: unknown when rows were hit */
	/* How much runs differ, by event; NULL: unknown. Separate for the kernel's work, which
	 * other programs and devices influence. */
	struct spread *spreads[PROFILE_MAX_EVENTS][DIFF_MEASURES][CLASSES];
	double *bursts; /* by row; NULL: unknown */
	/* Scratch: a measurement for each run, the old ones first. */
	struct measured *runs;
};

static void measuring_init(struct measuring *measuring, const struct diff *diff)
{
	*measuring =
		(struct measuring){ .diff = diff,
				    .runs = xcalloc(diff->runs.count, sizeof(struct measured)) };
}

static void measuring_done(struct measuring *measuring)
{
	for (size_t i = 0; i < SPREADS; i++)
		spread_free((&measuring->spreads[0][0][0])[i]);
	blocks_free(measuring->blocks);
	free(measuring->bursts);
	free(measuring->runs);
}

static enum measured_kind kind_of(enum diff_measure what)
{
	return what == DIFF_SHARE ? MEASURED_SHARE : MEASURED_AMOUNT;
}

/* @hits: by run; NULL: does nothing. */
static void measure_runs(const struct measuring *measuring, uint8_t event, enum diff_measure what,
			 const struct hits *hits)
{
	const struct diff *diff = measuring->diff;
	size_t filled[DIFF_SIDES] = { 0, diff->run_count[DIFF_OLD] };

	for (size_t i = 0; hits && i < diff->runs.count; i++) {
		const struct diff_run *run = &diff->runs.items[i];

		measuring->runs[filled[run->side]++] =
			measure_run(run, &diff->events.items[event], event, what, hits[i].weight);
	}
}

static int class_of(const struct diff *diff, size_t row)
{
	const struct diff_row *of = &diff->rows.items[row];

	return of->kernel > of->weight / 2 ? IS_KERNEL : IS_USER;
}

/* @row: its number in the blocks, if there are any. */
static struct seen_variance see(const struct measuring *measuring, uint8_t event,
				enum diff_measure what, size_t row)
{
	const size_t *count = measuring->diff->run_count;
	const struct spread *spread = NULL;

	if (measuring->bursts)
		spread = measuring->spreads[event][what][class_of(measuring->diff, row)];

	if (spread)
		return spread_of(spread, measuring->runs, measuring->bursts[row]);
	if (measuring->blocks)
		return blocks_variance(measuring->blocks, what, row);
	return change_of_runs(measuring->runs, count[DIFF_OLD], measuring->runs + count[DIFF_OLD],
			      count[DIFF_NEW]);
}

static struct change measure(struct measuring *measuring, uint8_t event, enum diff_measure what,
			     const struct hits *hits, size_t row)
{
	const size_t *count = measuring->diff->run_count;
	struct measured mean[DIFF_SIDES];
	struct seen_variance seen;

	measure_runs(measuring, event, what, hits);
	mean[DIFF_OLD] = change_mean(measuring->runs, count[DIFF_OLD]);
	mean[DIFF_NEW] = change_mean(measuring->runs + count[DIFF_OLD], count[DIFF_NEW]);
	seen = see(measuring, event, what, row);
	return change_of(kind_of(what), &mean[DIFF_OLD], &mean[DIFF_NEW], &seen);
}

static bool have_cells(const struct diff *diff)
{
	for (size_t i = 0; i < diff->runs.count; i++) {
		if (!diff->runs.items[i].has_cells)
			return false;
	}
	return true;
}

static bool is_of_runs(const struct diff *diff)
{
	return diff->run_count[DIFF_OLD] > 1 || diff->run_count[DIFF_NEW] > 1;
}

static bool is_row_compared(const struct diff *diff, size_t row)
{
	return diff->events.items[diff->rows.items[row].event].is_compared;
}

/* How much the row varies within runs. @variances: scratch, one for each run. */
static double bursts_of(const struct measuring *measuring, const struct hits *hits, size_t row,
			double *variances)
{
	const struct diff *diff = measuring->diff;
	size_t count = diff->runs.count;
	double share = 0;

	measure_runs(measuring, diff->rows.items[row].event, DIFF_SHARE, &hits[row * count]);
	for (size_t i = 0; i < count; i++)
		share += measuring->runs[i].value / (double)count;
	for (size_t i = 0; i < count; i++)
		variances[i] = share * (1 - share) / measuring->runs[i].exposure;
	return blocks_bursts(measuring->blocks, row, diff->run_count[DIFF_OLD], variances);
}

/* Learns from all rows except probes, which are parts and sums of them. */
static void learn_spread(struct measuring *measuring, const struct hits *hits)
{
	const struct diff *diff = measuring->diff;
	size_t rows = diff->rows.count - diff->runs.items[0].probe_count;
	_cleanup_free_ double *variances = xcalloc(diff->runs.count, sizeof(*variances));

	measuring->bursts = xcalloc(diff->rows.count, sizeof(*measuring->bursts));
	for (size_t i = 0; i < diff->rows.count; i++)
		measuring->bursts[i] = measuring->blocks && is_row_compared(diff, i)
					       ? bursts_of(measuring, hits, i, variances)
					       : 1;
	for (size_t i = 0; i < rows * DIFF_MEASURES; i++) {
		size_t row = i / DIFF_MEASURES;
		enum diff_measure what = (enum diff_measure)(i % DIFF_MEASURES);
		uint8_t event = diff->rows.items[row].event;
		struct spread **spread = &measuring->spreads[event][what][class_of(diff, row)];

		if (!is_row_compared(diff, row))
			continue;
		if (!*spread)
			*spread = spread_new(kind_of(what), diff->run_count[DIFF_OLD],
					     diff->run_count[DIFF_NEW],
					     usual_between[class_of(diff, row)]);
		measure_runs(measuring, event, what, &hits[row * diff->runs.count]);
		spread_add(*spread, measuring->runs, measuring->bursts[row]);
	}
	for (size_t i = 0; i < SPREADS; i++) {
		struct spread *spread = (&measuring->spreads[0][0][0])[i];

		if (spread)
			spread_settle(spread);
	}
}

void diff_measure_rows(struct diff *diff, const struct hits *hits)
{
	struct measuring measuring;

	measuring_init(&measuring, diff);
	if (have_cells(diff))
		measuring.blocks = blocks_new(diff, diff->rows.items, diff->rows.count);
	if (is_of_runs(diff))
		learn_spread(&measuring, hits);
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.items[i];
		const struct hits *of_row = &hits[i * diff->runs.count];

		for (int what = 0; is_row_compared(diff, i) && what < DIFF_MEASURES; what++)
			row->by[what] =
				measure(&measuring, row->event, (enum diff_measure)what, of_row, i);
	}
	measuring_done(&measuring);
}

void diff_measure_events(struct diff *diff)
{
	struct hits *hits = xcalloc(diff->runs.count, sizeof(*hits));
	struct measuring measuring;

	measuring_init(&measuring, diff);
	for (size_t event = 0; event < diff->events.count; event++) {
		struct diff_event *row = &diff->events.items[event];

		for (size_t i = 0; i < diff->runs.count; i++) {
			const struct diff_run *run = &diff->runs.items[i];

			hits[i] =
				(struct hits){ run->sums[event].samples, run->sums[event].weight };
			row->samples[run->side] += hits[i].samples;
		}
		for (int what = DIFF_TIME; row->is_compared && what < DIFF_MEASURES; what++)
			row->by[what] =
				measure(&measuring, event, (enum diff_measure)what, hits, 0);
	}
	measuring_done(&measuring);
	free(hits);
}
