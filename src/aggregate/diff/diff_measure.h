/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures how much rows changed, and how surely, from the hits of each run. Private to diff. */
#ifndef AGGREGATE_DIFF_DIFF_MEASURE_H
#define AGGREGATE_DIFF_DIFF_MEASURE_H

#include "aggregate/diff/diff.h"

/* Sets diff_row.by of all rows whose events are compared. @hits: by row, then run. The rows of
 * probes come last. */
void diff_measure_rows(struct diff *diff, const struct hits *hits);

/* Sets diff_event.by and .samples. */
void diff_measure_events(struct diff *diff);

#endif
