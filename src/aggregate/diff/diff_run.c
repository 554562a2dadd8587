/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/diff_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "aggregate/student.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"

/* If chance explains the difference between longer and short stretches with less probability than
 * this, the longer ones are used. */
static const double by_chance = 0.05;

/* Cells of probes have the lowest numbers. */
uint32_t diff_probe_cell(size_t probe, uint8_t event)
{
	return (uint32_t)probe * PROFILE_MAX_EVENTS + event;
}

uint32_t diff_row_cell(size_t probe_count, size_t row)
{
	return (uint32_t)(probe_count * PROFILE_MAX_EVENTS + row);
}

/* True, with its number, if the cell belongs to a row of the table; else it belongs to a probe. */
static bool is_of_row(const struct diff_run *run, const struct cell *cell, uint32_t *ret_row)
{
	uint32_t first = diff_row_cell(run->probe_count, 0);

	*ret_row = cell->row - first;
	return cell->row >= first;
}

void diff_run_done(struct diff_run *run)
{
	vec_free(&run->rows);
	vec_free(&run->texts);
	cells_done(&run->cells);
	free(run->probes);
	free(run->row_of);
}

const struct hits *diff_run_probe(const struct diff_run *run, size_t probe, uint8_t event)
{
	return &run->probes[probe].hits[event];
}

/* The diff's event with this name and unit; PROFILE_MAX_EVENTS: there are too many. */
static uint8_t find_event(struct diff *diff, const struct profile *profile, uint8_t number)
{
	const struct event *event = &profile->events[number];
	struct diff_event key = {
		.name = strpool_intern(&diff->strings, profile_text(profile, event->name)),
		.unit = strpool_intern(&diff->strings, profile_text(profile, event->unit)),
		.is_time = account_is_time(profile, number),
		.is_exact = event->clock == CLOCK_EXACT,
		.is_compared = true,
	};

	for (size_t i = 0; i < diff->events.count; i++) {
		const struct diff_event *row = &diff->events.items[i];

		if (row->name == key.name && row->unit == key.unit && row->is_exact == key.is_exact)
			return (uint8_t)i;
	}
	if (diff->events.count == PROFILE_MAX_EVENTS)
		return PROFILE_MAX_EVENTS;
	/* The earlier runs do not have it. */
	key.is_compared = !diff->runs.count;
	*vec_push(&diff->events) = key;
	return (uint8_t)(diff->events.count - 1);
}

/* False: there are too many events. */
static bool add_events(struct diff *diff, struct diff_run *run, const struct table *table)
{
	const struct profile *profile = table->labels->profile;

	for (uint8_t i = 0; i < profile->event_count; i++) {
		uint8_t event = PROFILE_MAX_EVENTS;

		if (table->sums[i].samples) {
			event = find_event(diff, profile, i);
			if (event == PROFILE_MAX_EVENTS)
				return false;
		}
		run->event_of[i] = event;
		if (event < PROFILE_MAX_EVENTS)
			run->sums[event] = table->sums[i];
	}
	for (size_t i = 0; i < diff->events.count; i++) {
		if (!run->sums[i].weight)
			diff->events.items[i].is_compared = false;
	}
	return true;
}

static void add_row(struct diff *diff, struct diff_run *run, const struct table *table,
		    const struct table_row *row, uint64_t kernel, struct buf *text)
{
	*vec_push(&run->rows) = (struct diff_run_row){ run->event_of[row->event],
						       { row->samples, row->weight },
						       kernel };
	for (size_t key = 0; key < diff->keys.count; key++) {
		buf_clear(text);
		table_text(table, row, key, text);
		*vec_push(&run->texts) =
			rebuilt_match_add(&diff->matches[key], buf_text(text), run->side);
	}
}

static void add_probe(struct diff_run *run, const struct diff_probe *from, struct diff_probe *to)
{
	for (size_t event = 0; event < PROFILE_MAX_EVENTS; event++) {
		if (run->event_of[event] == PROFILE_MAX_EVENTS)
			continue;
		to->hits[run->event_of[event]] = from->hits[event];
		to->kernel[run->event_of[event]] = from->kernel[event];
	}
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

/* Merges the cells by block; there are far fewer blocks than bins. */
static void make_blocks(struct diff_run *run)
{
	uint8_t(*block_of)[CELLS_BINS];

	if (!run->rows.count)
		return;
	block_of = xcalloc(PROFILE_MAX_EVENTS, sizeof(*block_of));
	find_blocks(run, block_of);
	for (size_t i = 0; i < run->cells.rows.count; i++) {
		struct cell *cell = &run->cells.rows.items[i];

		cell->bin = block_of[event_of_cell(run, cell)][cell->bin];
	}
	cells_merge(&run->cells);
	free(block_of);
}

int diff_add(struct diff *diff, enum diff_side side, const struct table *table,
	     const uint64_t *kernel, const struct diff_probe *probes, size_t probe_count,
	     struct cells *cells, uint64_t wall_ns, struct err *err)
{
	struct diff_run run = { .side = side,
				.wall_s = (double)wall_ns / (double)NS_PER_S,
				.probe_count = probe_count };
	struct buf text = { 0 };

	memset(run.event_of, PROFILE_MAX_EVENTS, sizeof(run.event_of));
	if (!add_events(diff, &run, table))
		return err_set(err, -E2BIG, "the profiles have more than %d different events",
			       PROFILE_MAX_EVENTS);
	for (size_t i = 0; i < table->rows.count; i++)
		add_row(diff, &run, table, &table->rows.items[i], kernel ? kernel[i] : 0, &text);
	run.probes = xcalloc(probe_count, sizeof(*run.probes));
	for (size_t i = 0; i < probe_count; i++)
		add_probe(&run, &probes[i], &run.probes[i]);
	if (cells) {
		run.cells = *cells;
		run.has_cells = true;
		*cells = (struct cells){ 0 };
		make_blocks(&run);
	}
	diff->run_count[side]++;
	*vec_push(&diff->runs) = run;
	buf_done(&text);
	return 0;
}

void diff_command(struct diff *diff, enum diff_side side, const char *name, const char *text)
{
	for (size_t key = 0; key < diff->keys.count; key++) {
		if (strcmp(diff->keys.items[key]->name, name) == 0)
			rebuilt_match_command(&diff->matches[key], text, side);
	}
}

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

struct diff_blocks {
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

struct diff_blocks *diff_blocks_new(const struct diff *diff, const struct diff_row *rows,
				    size_t count)
{
	struct diff_blocks *blocks = xcalloc(1, sizeof(*blocks));
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

void diff_blocks_free(struct diff_blocks *blocks)
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

struct seen_variance diff_blocks_variance(const struct diff_blocks *blocks,
					  enum diff_measure measure, size_t row)
{
	struct block_parts differences = { 0 };

	for (size_t i = 0; i < blocks->count; i++)
		add_run_parts(&blocks->runs[i], blocks->rows, measure, row,
			      blocks->runs[i].run->side == DIFF_OLD ? -1 : 1, &differences);
	return change_of_pairs(differences.measure, differences.plain, CELLS_BLOCKS);
}

/* The parts of runs @from to @end, minus their mean. */
static void unlike_parts(const struct diff_blocks *blocks, size_t row, size_t from, size_t end,
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

double diff_blocks_bursts(const struct diff_blocks *blocks, size_t row, size_t old_count,
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
