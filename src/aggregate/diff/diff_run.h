/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of a diff: what is kept of its profile, and when its rows were hit. Private to diff. */
#ifndef AGGREGATE_DIFF_DIFF_RUN_H
#define AGGREGATE_DIFF_DIFF_RUN_H

#include "aggregate/diff/diff.h"

struct diff_run_row {
	uint8_t event; /* of the diff */
	struct hits hits;
	uint64_t kernel; /* the weight in kernel mode */
};

struct diff_run {
	enum diff_side side;
	double wall_s;				   /* 0: not known */
	struct table_sum sums[PROFILE_MAX_EVENTS]; /* by event of the diff */
	VEC(struct diff_run_row) rows;
	VEC(str_id) texts;	   /* by row, then key */
	struct diff_probe *probes; /* by event of the diff; owned */
	size_t probe_count;
	uint8_t event_of[PROFILE_MAX_EVENTS]; /* of the profile: that of the diff */
	struct cells cells;		      /* by block */
	bool has_cells;
	uint32_t *row_of;    /* by row: that of the diff */
	uint32_t probe_base; /* the diff's row of the first probe */
};

void diff_run_done(struct diff_run *run);

/* What was found for a question; 0 hits when it has nothing. */
const struct hits *diff_run_probe(const struct diff_run *run, size_t probe, uint8_t event);

/* How the weights of rows are spread over blocks: the n-th of one run and of the others. */
struct diff_blocks;

/* @rows are those of diff_run.row_of. Every run has cells. */
struct diff_blocks *diff_blocks_new(const struct diff *diff, const struct diff_row *rows,
				    size_t count);
void diff_blocks_free(struct diff_blocks *blocks); /* NULL is fine */

/* Of two runs, by the differences of their blocks. */
struct seen_variance diff_blocks_variance(const struct diff_blocks *blocks,
					  enum diff_measure measure, size_t row);

/*
 * How many times as much as independent samples a row's share varies within runs, from how unlike
 * the n-th blocks of the runs of a side are (two-way analysis of variance: what a run has in all
 * blocks and what a block has in all runs is taken off); of the runs of both sides together where
 * one has a single run. Longer blocks are taken where they are unlike by more than chance, as in
 * change_of_pairs. @variances: by run, the old ones first, what its share would vary by if samples
 * were independent.
 */
double diff_blocks_bursts(const struct diff_blocks *blocks, size_t row, size_t old_count,
			  const double *variances);

#endif
