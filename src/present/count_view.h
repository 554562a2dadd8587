/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts as text, CSV and JSON. prospect-count(1) documents every form. */
#ifndef PRESENT_COUNT_VIEW_H
#define PRESENT_COUNT_VIEW_H

#include <stdio.h>

#include "aggregate/count_table.h"
#include "base/buf.h"

/* How whole numbers are written. */
enum count_digits {
	COUNT_DIGITS_US,  /* 1,234 */
	COUNT_DIGITS_EU,  /* 1.234 */
	COUNT_DIGITS_HEX, /* 0x4d2 */
};

/* The keys that rows have. */
struct count_keys {
	bool cpu, program, pid, tid;
};

struct count_view {
	const struct count_table *table;
	struct count_keys keys;
	enum count_digits digits;
	const char *command; /* what was counted: "make -j4", "the whole machine"; "" not said */
	bool is_interval;    /* each row begins with the time */
};

/* A value with one row for each event, or a table with a row for each line; what is worth knowing
 * about the counting below. */
void count_view_text(const struct count_view *view, FILE *out);
/* The rows that pfmon printed for each program: count, event, path, how far off a mean may be; and
 * as above what is worth knowing. */
void count_view_follow(const struct count_view *view, FILE *out);
/* Why events were not counted, and what to think of those that were: below a text. */
void count_view_notes(const struct count_view *view, FILE *out);
/* One line for each row and event. @titles: with the line of column names. */
void count_view_csv(const struct count_view *view, bool titles, FILE *out);
/* The rows that ocount printed as its brief format: [key,]event,count,percent. */
void count_view_brief(const struct count_view *view, FILE *out);
/* {"header": {...}, "rows": [...]}, of an interval in one line. */
void count_view_json(const struct count_view *view, FILE *out);

/* A count as it is written in text: with its unit where it has one of its own. What is no number is
 * a state's words. */
void count_view_number(const struct count_view *view, size_t event,
		       const struct count_figure *figure, struct buf *buf);
/* How far off a mean of several runs may be, as a share of it: "+- 1.23%"; nothing after one run.
 */
void count_view_half(const struct count_view *view, const struct count_figure *figure,
		     struct buf *buf);

#endif
