/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of watch_show.c, one for each form of output. Private to them. */
#ifndef WATCH_SHOW_WATCH_PARTS_H
#define WATCH_SHOW_WATCH_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "watch/show/watch_plot.h"
#include "watch/watch.h"

struct watch_show {
	struct watch_show_options options;
	struct watch_setting setting; /* as passed to begin */
	struct watch_plot *plot;      /* NULL: no curves */
	struct buf text;	      /* the output being built */
	size_t ticks;
	bool drawn; /* an interval has been shown */
};

/* ---- watch_rows.c: the rows of a tick as shown ---- */

/* A row, or the sum of a target's rows. */
struct watch_line {
	size_t target;
	size_t known;		     /* identity: a row's place; SIZE_MAX - target: the sum */
	const struct probe_row *row; /* NULL: the sum of all rows of the target */
	struct probe_counts counts;
	const uint64_t *latency, *values; /* like those of struct probe_row */
};

struct watch_lines {
	VEC(struct watch_line) list;
	VEC(uint64_t *) histograms; /* of sums; owned */
};

/* The line of one row, from which it borrows. */
struct watch_line watch_line_of(const struct probe_row *row);
/* One line per row, by target. If the key is the CPU, a sum follows several rows of a target; other
 * keys have too many rows to be read in groups. Everything else is borrowed from @tick. */
void watch_lines_make(const struct watch_setting *setting, const struct watch_tick *tick,
		      struct watch_lines *ret_lines);
/* One line per target, the sum of its rows; also for targets without rows. */
void watch_lines_sum(const struct watch_setting *setting, const struct watch_tick *tick,
		     struct watch_lines *ret_lines);
void watch_lines_done(struct watch_lines *lines);

/* Appends the key of a line: "3", "1234 nginx", "sum"; nothing if each target has only one row. Not
 * safe for terminals yet. */
void watch_line_key(const struct watch_setting *setting, const struct watch_line *line,
		    struct buf *text);
/* The title of the key column: "cpu", "pid", "" ... */
const char *watch_line_key_title(enum probe_key key);

/* True if the value cannot be known: how long goroutines ran on a CPU, and what they did there. */
bool watch_line_is_unknown(const struct watch_setting *setting, const struct metric *metric,
			   const struct watch_line *line);
/* A metric's value; NaN if it has none, cannot be known, or needs exits that the target does not
 * have. @seconds: 0 for totals. */
double watch_line_value(const struct watch_setting *setting, const struct metric_set *set,
			const struct metric *metric, const struct watch_line *line, double seconds);

/* Appends a value as text, with few digits: counts exact, times with their unit, "-" for NaN. */
void watch_value_text(struct buf *text, const struct metric *metric, double value, bool total);

/* Appends a percentage: two digits, or all whole digits from 10 % on. */
void watch_percent_text(struct buf *text, double percent);

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
