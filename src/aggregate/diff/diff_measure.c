/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/diff_measure.h"

#include <math.h>
#include <stdlib.h>

#include "aggregate/diff/diff_run.h"
#include "aggregate/diff/spread.h"
#include "base/cleanup.h"
#include "base/xalloc.h"

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
	struct diff_blocks *blocks; /* NULL: unknown when rows were hit */
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
	diff_blocks_free(measuring->blocks);
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
		return diff_blocks_variance(measuring->blocks, what, row);
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
	return diff_blocks_bursts(measuring->blocks, row, diff->run_count[DIFF_OLD], variances);
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
		measuring.blocks = diff_blocks_new(diff, diff->rows.items, diff->rows.count);
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
