/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the room: counts events of a command, of processes and threads, or of CPUs; prints
 * the counts as text, CSV and JSON; lists the events.
 */
#ifndef COUNT_COUNT_H
#define COUNT_COUNT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "count/count_table.h"
#include "model/counts.h"
#include "present/screen.h"
#include "proc/launch.h"

/* Counting events of a command, of processes and threads, or of CPUs. */

/* What a row stands for. */
enum count_rows {
	COUNT_ROWS_WHOLE,
	COUNT_ROWS_CPU,
	COUNT_ROWS_PROGRAM, /* an executed file, by its path */
	COUNT_ROWS_PROCESS,
	COUNT_ROWS_THREAD,
};

struct count_options {
	const char *const *events; /* comma lists, as event_names_parse_groups takes them */
	size_t event_lists;	   /* 0: the default events */
	char *const *argv;	   /* NULL: no command */
	bool as_user;		   /* under sudo: the command runs as the user who called it */
	const pid_t *pids, *tids;  /* whole processes; single threads */
	size_t pid_count, tid_count;
	bool pids_may_end; /* they were found to run: it is no error if some have ended */
	bool machine;	   /* everything on the CPUs; with a command: while it runs */
	const char *cpus;  /* only these CPUs, with machine; NULL: all */
	bool alone;	   /* started threads and processes are not counted */
	enum count_rows rows;
	const char *only, *except; /* globs of programs whose rows are shown; NULL: all */
	double duration_s;	   /* 0: no limit */
	double interval_s;	   /* 0: none */
	uint64_t intervals;	   /* how many; 0: no limit */
	/* Called at the end of each interval with its counts (borrowed). */
	void (*interval)(void *context, const struct counts *counts);
	void *context;
};

struct count_result {
	struct counts counts; /* of the whole run; the caller frees with counts_done */
	struct command_outcome outcome;
	struct err note; /* what the reader should know; "": nothing */
};

/* Checks the events. -EINVAL: invalid; -ENOENT: no such event; both with the reason. */
int count_check(const struct count_options *options, struct err *err);
/* Counts until the command or all processes end, time is up, or a signal arrives. */
int count_run(const struct count_options *options, struct count_result *ret_result,
	      struct err *err);

/* Counts as text, CSV and JSON. prospect-count(1) documents each form. */

/* How whole numbers are printed. */
enum count_digits {
	COUNT_DIGITS_US,  /* 1,234 */
	COUNT_DIGITS_EU,  /* 1.234 */
	COUNT_DIGITS_HEX, /* 0x4d2 */
};

/* The key columns of the rows. */
struct count_keys {
	bool cpu, program, pid, tid;
};

struct count_view {
	const struct count_table *table;
	struct count_keys keys;
	enum count_digits digits;
	const char *command; /* "make -j4", "the whole machine"; "": not known */
	bool is_interval;    /* each row begins with the time */
};

/* One row per event for a single line, else a table with one row per line; notes follow. */
void count_view_text(const struct count_view *view, FILE *out);
/* The rows that pfmon printed for each program: count, event, path, error of a mean; with notes. */
void count_view_follow(const struct count_view *view, FILE *out);
/* One line per row and event. @titles: with a header line. */
void count_view_csv(const struct count_view *view, bool titles, FILE *out);
/* The rows that ocount printed as its brief format: [key,]event,count,percent. */
void count_view_brief(const struct count_view *view, FILE *out);
/* {"header": {...}, "rows": [...]}; an interval takes one line. */
void count_view_json(const struct count_view *view, FILE *out);

/* Lists the events of this machine, and tries them. */

struct event_listing_options {
	/* A glob on the name. Without "*?[": any name, kind or text that contains it, ignoring
	 * case. NULL: all. */
	const char *pattern;
	bool all_processors; /* of libpfm4: also of other processors */
	bool bare_names;
	const char *format; /* "text", "csv", "json" */
	struct screen screen;
};

/* Why something is not listed; "": it is. */
struct event_listing_notes {
	struct err no_library, no_tracepoints;
};

/* -EINVAL with the reason: unknown format. */
int event_listing_check_format(const char *format, struct err *err);

/* Returns how many were printed. Notes only name sources that were asked for and are missing. */
size_t event_listing_print(const struct event_listing_options *options, FILE *out,
			   struct event_listing_notes *ret_notes);

/* Opens the events of @count comma lists together: on this thread, or on all CPUs if an event
 * counts for more than one CPU. Prints each event's code and whether it can be counted. Of the options
 * the format and the screen count.
 * *ret_all_good: all can. Negative errno: not an event, or counters_open failed. */
int event_listing_check(const char *const *lists, size_t count,
			const struct event_listing_options *listing, FILE *out, bool *ret_all_good,
			struct err *err);

#endif
