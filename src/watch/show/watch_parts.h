/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of watch_show.c, one for each form of output. Private to them. */
#ifndef WATCH_SHOW_WATCH_PARTS_H
#define WATCH_SHOW_WATCH_PARTS_H

#include "base/buf.h"
#include "watch/show/watch_plot.h"
#include "watch/show/watch_rows.h"
#include "watch/watch.h"

struct watch_show {
	struct watch_show_options options;
	struct watch_setting setting; /* as passed to begin */
	struct watch_plot *plot;      /* NULL: no curves */
	struct buf text;	      /* the output being built */
	size_t ticks;
	bool drawn; /* an interval has been shown */
};

/* ---- watch_table.c: for people ---- */

/* Appends at most @most rows (0: all), the busiest if there are more. */
void watch_table_add(struct watch_show *show, const struct watch_tick *tick, bool totals,
		     size_t most);
/* Appends one line about the interval. */
void watch_table_add_head(struct watch_show *show, const struct watch_tick *tick);
/* Appends what could not be watched. */
void watch_table_add_refusals(const struct watch_show *show, struct buf *text);

/* ---- watch_histogram.c ---- */

/* Appends the histograms of durations and return values, for each target that has them. */
void watch_histogram_add(struct watch_show *show, const struct watch_totals *totals);

/* ---- watch_account.c: what there is to know at the end ---- */

/* Appends why the watch ended, what was lost, and what it cost. */
void watch_account_add(const struct watch_show *show, const struct watch_totals *totals,
		       struct buf *text);

/* ---- watch_stream.c: for programs ---- */

void watch_stream_add_csv_head(struct watch_show *show);
void watch_stream_add_csv(struct watch_show *show, const struct watch_tick *tick, bool totals);
void watch_stream_add_json(struct watch_show *show, const struct watch_tick *tick, bool totals);
void watch_stream_add_json_begin(struct watch_show *show);
void watch_stream_add_json_end(struct watch_show *show, const struct watch_totals *totals);

/* Why a watch ended, as a word: "duration". */
const char *watch_account_reason(enum watch_end end);

#endif
