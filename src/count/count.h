/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the room: counting events of a command, of processes and threads, or of CPUs; what was
 * counted as text, CSV and JSON; and the events that there are.
 */
#ifndef COUNT_COUNT_H
#define COUNT_COUNT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "count/count_table.h"
#include "model/counts.h"
#include "proc/command_outcome.h"

/* Counting events of a command, of processes and threads, or of CPUs. */

/* What a row is. */
enum count_rows {
	COUNT_ROWS_WHOLE,
	COUNT_ROWS_CPU,
	COUNT_ROWS_PROGRAM, /* what was executed, by its path */
	COUNT_ROWS_PROCESS,
	COUNT_ROWS_THREAD,
};

struct count_options {
	const char *const *events; /* comma lists, as event_names_parse_groups takes them */
	size_t event_lists;	   /* 0: the usual ones */
	char *const *argv;	   /* NULL: no command */
	bool as_user;		   /* under sudo: the command runs as the user who called it */
	const pid_t *pids, *tids;  /* of processes with all their threads; of single threads */
	size_t pid_count, tid_count;
	bool machine;	  /* whoever runs; with a command: while it runs */
	const char *cpus; /* of these CPUs only, with machine; NULL: all */
	bool alone;	  /* what is started is not counted */
	enum count_rows rows;
	const char *only, *except; /* globs of programs whose rows are shown; NULL: all */
	double duration_s;	   /* 0: no limit */
	double interval_s;	   /* 0: none */
	uint64_t intervals;	   /* how many; 0: no limit */
	/* Called at the end of each interval with what was counted in it, borrowed. */
	void (*interval)(void *context, const struct counts *counts);
	void *context;
};

struct count_result {
	struct counts counts; /* of the whole run; the caller's to free with counts_done */
	struct command_outcome outcome;
	struct err note; /* what a reader should know; "" */
};

/* Is the command line right? -EINVAL with the line, -ENOENT for an event that is not there. */
int count_check(const struct count_options *options, struct err *err);
/* Counts until the command ends, the processes have ended, time is up, or a signal comes. */
int count_run(const struct count_options *options, struct count_result *ret_result,
	      struct err *err);

/* Counts as text, CSV and JSON. prospect-count(1) documents every form. */

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

/* What can be counted here, listed and tried. */

struct event_listing_options {
	/* A glob on the name; without "*?[" any name, kind or text that contains it, in any case.
	 * NULL: all. */
	const char *pattern;
	bool all_processors; /* of libpfm4: of those that are not here, too */
	bool bare_names;
	const char *format; /* "text", "csv", "json" */
};

/* Why something is not listed; "" where all is. */
struct event_listing_notes {
	struct err no_library, no_tracepoints;
};

/* -EINVAL with the line for what is no format. */
int event_listing_check_format(const char *format, struct err *err);

/* Returns how many were printed. Only what was asked for and is not there is noted. */
size_t event_listing_print(const struct event_listing_options *options, FILE *out,
			   struct event_listing_notes *ret_notes);

/* Opens the events of @count comma lists, on this thread (those that count for more than a CPU: on
 * CPUs), together, and prints of each its code and whether it can be counted. *ret_all_good: all
 * can. Negative errno for what is no event. */
int event_listing_check(const char *const *lists, size_t count, const char *format, FILE *out,
			bool *ret_all_good, struct err *err);

#endif
