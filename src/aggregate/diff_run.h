/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of a diff: what is kept of its profile, and when its rows were hit. Private to diff. */
#ifndef AGGREGATE_DIFF_RUN_H
#define AGGREGATE_DIFF_RUN_H

#include "aggregate/diff.h"

struct diff_run_row {
	uint8_t event; /* of the diff */
	struct hits hits;
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

/* How the weights of rows are spread over pairs of blocks: the n-th of one run and of the other. */
struct diff_blocks;

/* Of a diff of two runs. @rows are those of diff_run.row_of. */
struct diff_blocks *diff_blocks_new(const struct diff *diff, const struct diff_row *rows,
				    size_t count);
void diff_blocks_free(struct diff_blocks *blocks); /* NULL is fine */

struct seen_variance diff_blocks_variance(const struct diff_blocks *blocks,
					  enum diff_measure measure, size_t row);

#endif
