/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a watch's tick as shown: their words, values and sums. */
#ifndef WATCH_SHOW_WATCH_ROWS_H
#define WATCH_SHOW_WATCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "watch/show/metric.h"
#include "watch/show/watch_result.h"

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

#endif
