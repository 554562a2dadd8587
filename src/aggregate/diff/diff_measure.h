/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures how much rows changed, and how surely, from the hits of each run. Private to diff. */
#ifndef AGGREGATE_DIFF_DIFF_MEASURE_H
#define AGGREGATE_DIFF_DIFF_MEASURE_H

#include "aggregate/diff/diff.h"

struct diff_run_row {
	uint8_t event; /* number in the diff */
	struct hits hits;
	uint64_t kernel; /* weight in kernel mode */
};

/* What we keep of a run's profile, and when its rows were hit. */
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

/* Merges run->cells by block; there are far fewer blocks than bins. */
void diff_measure_cells(struct diff_run *run);

/* Sets diff_row.by of all rows whose events are compared. @hits: by row, then run. The rows of
 * probes come last. */
void diff_measure_rows(struct diff *diff, const struct hits *hits);

/* Sets diff_event.by and .samples. */
void diff_measure_events(struct diff *diff);

#endif
