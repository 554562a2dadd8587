/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of a diff: what we keep of its profile, and when its rows were hit. Private to diff. */
#ifndef AGGREGATE_DIFF_DIFF_RUN_H
#define AGGREGATE_DIFF_DIFF_RUN_H

#include "aggregate/diff/diff.h"

struct diff_run_row {
	uint8_t event; /* number in the diff */
	struct hits hits;
	uint64_t kernel; /* weight in kernel mode */
};

struct diff_run {
	enum diff_side side;
	double wall_s;				   /* 0: unknown */
	struct table_sum sums[PROFILE_MAX_EVENTS]; /* by event of the diff */
	VEC(struct diff_run_row) rows;
	VEC(str_id) texts;	   /* by row, then key */
	struct diff_probe *probes; /* by event of the diff; owned */
	size_t probe_count;
	uint8_t event_of[PROFILE_MAX_EVENTS]; /* by event of the profile: the diff's event */
	struct cells cells;		      /* by block */
	bool has_cells;
	uint32_t *row_of;    /* by row: the diff's row */
	uint32_t probe_base; /* the diff's row of the first probe */
};

void diff_run_done(struct diff_run *run);

/* The hits of a question; 0 if it selected nothing. */
const struct hits *diff_run_probe(const struct diff_run *run, size_t probe, uint8_t event);

/* The weights of rows by block, to compare the n-th blocks of all runs. */
struct diff_blocks;

/* @rows: those that diff_run.row_of refers to. Every run must have cells. */
struct diff_blocks *diff_blocks_new(const struct diff *diff, const struct diff_row *rows,
				    size_t count);
void diff_blocks_free(struct diff_blocks *blocks); /* NULL is fine */

/* For two runs, from the differences of their blocks. */
struct seen_variance diff_blocks_variance(const struct diff_blocks *blocks,
					  enum diff_measure measure, size_t row);

/*
 * How many times as much as with independent samples a row's share varies within runs, from how
 * much the n-th blocks of the runs of one side differ: a two-way analysis of variance, which
 * subtracts what a run has in all blocks and what a block has in all runs. If a side has a single
 * run, the runs of both sides count together. Longer blocks are used if they differ by more than
 * chance explains, as in change_of_pairs. @variances: by run, the old ones first: the variance of
 * its share for independent samples.
 */
double diff_blocks_bursts(const struct diff_blocks *blocks, size_t row, size_t old_count,
			  const double *variances);

#endif
