/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the room: watches function calls live. A request in words becomes one that can run. A
 * running watch attaches probes, reads them each interval and hands the counts to a view. It ends
 * by time, by a signal, with the command, or if it costs too much.
 */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "proc/launch.h"
#include "watch/probes/probes.h"
#include "watch/show/metric.h"
#include "watch/targets/watch_listing.h"
#include "watch/targets/watch_targets.h"

/* A request in words becomes one that can run. */

/* All pointers are borrowed while the request lives; NULL: not given. */
struct watch_words {
	struct watch_target_options targets; /* pid, alone, exits, returns, foreign: set inside */
	const char *metrics;		     /* NULL: METRIC_DEFAULTS */
	const char *by;			     /* sum, cpu, pid, thread, comm */
	const int32_t *pids;
	size_t pid_count;
	bool pids_may_end; /* they were found to run: it is no error if some have ended */
	bool follow;	   /* also what @pids start */
	const char *cpus;  /* "0-3,8" */
	const char *const *comms;
	size_t comm_count;
	const char *condition, *error_if; /* NULL: none */
	bool values;			  /* the histogram of return values */
};

struct watch_request;

/* -EINVAL: an invalid option; else as watch_targets_new. */
int watch_request_new(const struct watch_words *words, struct watch_request **ret_request,
		      struct err *err);
void watch_request_free(struct watch_request *request); /* NULL is fine */
DEFINE_CLEANUP(struct watch_request *, watch_request_free);

/* For watch_options.probes. Borrowed from @request. */
const struct probe_options *watch_request_probes(const struct watch_request *request);
const struct metric_set *watch_request_metrics(const struct watch_request *request);
/* As watch_targets_note. */
const char *watch_request_note(const struct watch_request *request, size_t index);

/* Appends the list that @words ask for; only the first process counts. Errors as
 * watch_targets_new. */
int watch_request_list(const struct watch_words *words, enum watch_listing listing,
		       struct buf *text, struct err *err);

/* --help-metric: the definition, the unit, what is attached. NULL: all metrics, one per line.
 * -ENOENT: no such metric. */
int watch_metrics_help(const char *name, struct buf *text, struct err *err);

/* The cost of a watch, before it starts. */

/* Appends lines to @text: how targets would be reached, how long attaching and detaching takes, and
 * what a call costs. Then it counts entries for half a second, or less if that is expensive, and
 * appends the share of a CPU that the watch would take. It does not count if attaching takes too
 * long, or if @command: a command is to be watched, which does not run yet. */
int watch_forecast_tell(const struct probe_options *options, bool command, struct buf *text,
			struct err *err);

/*
 * What a running watch hands to its view: first what is attached, then one tick per interval, at
 * the end the totals. Everything is borrowed for the call.
 */

/* Why a watch ended. */
enum watch_end {
	WATCH_GOES_ON,
	WATCH_DURATION,	 /* --duration is over */
	WATCH_COMMAND,	 /* the command ended */
	WATCH_STOPPED,	 /* a signal */
	WATCH_BUDGET,	 /* the cost exceeded the budget */
	WATCH_GONE,	 /* the selected processes ended */
	WATCH_NOT_SHOWN, /* the view returned an error */
};

/* What does not change during a watch. */
struct watch_setting {
	const struct probe_target *targets;
	const struct probe_outcome *outcomes; /* one per target */
	size_t target_count;
	size_t attached; /* how many targets were not refused */
	enum probe_key key;
	bool errors_told; /* a condition defines errors, not the functions' types */
	struct probe_scale latency, values;
	uint64_t attach_ns;
	uint64_t interval_ns; /* 0: no ticks, only totals */
};

struct watch_tick {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	uint64_t began_ns;	 /* of the whole watch */
	/* Differences, except `inside` and `longest_ns`, which are as of the end. With the sum as
	 * key there is a row for each attached target, else one for each key seen so far. */
	const struct probe_row *rows;
	size_t row_count;
	struct probe_cost cost; /* of the interval */
	enum watch_end end;	/* in the last tick and the totals: why */
};

struct watch_totals {
	struct watch_tick all; /* from began_ns to the end; rows hold sums */
	uint64_t detach_ns;
};

/* The view. A negative errno ends the watch (WATCH_NOT_SHOWN). */
struct watch_view {
	void *context;
	int (*begin)(void *context, const struct watch_setting *setting);
	int (*tick)(void *context, const struct watch_tick *tick);
	int (*end)(void *context, const struct watch_totals *totals);
};

/*
 * A running watch: attaches probes to resolved targets, reads them each interval and hands the
 * counts to a view. It ends by time, by a signal, with the command, or if it costs too much.
 */

struct watch_options {
	struct probe_options probes; /* watch_run sets give_up, tell and context */
	char *const *argv; /* a command: only it and its children are watched; NULL: none */
	double interval_s; /* 0: no ticks */
	double duration_s; /* 0: until a signal or the command's end */
	double budget;	   /* share of one CPU; 0: no limit */
	bool even_slow;	   /* attach even if it takes long (--yes) */
	bool as_user;	   /* under sudo: the command as the user who called it */
	/* Called if attaching takes long, before it begins, with both times in seconds. May be
	 * NULL. */
	void (*tell)(void *context, double attach_s, double detach_s);
	/* Called with progress, like probe_options.tell. May be NULL. */
	void (*progress)(void *context, const char *act, size_t done, size_t count);
	void *tell_context; /* for both */
	struct watch_view view;
};

struct watch_result {
	enum watch_end end;
	struct command_outcome outcome;
};

/* Watches. Returns 0, even if the command failed or the watch ended itself, or a negative errno
 * with the reason. *ret_result is always set. */
int watch_run(const struct watch_options *options, struct watch_result *ret_result,
	      struct err *err);

/*
 * Shows a running watch: a table each interval (redrawn on a terminal, else one after the other),
 * curves, or a stream of CSV or JSON lines; at the end totals, histograms and the cost.
 */

struct watch_show;

enum watch_form {
	WATCH_FORM_TEXT,
	WATCH_FORM_CSV,	 /* one row per interval, target, key and metric */
	WATCH_FORM_JSON, /* JSON Lines: one object per interval, target and key */
};

struct watch_show_options {
	const struct metric_set *metrics; /* borrowed, like all below */
	enum watch_form form;
	bool plot; /* curves of the first metrics, instead of the table */
	FILE *out;
	FILE *notes;	       /* gets other text if @out is for programs; NULL: drop it */
	size_t lines, columns; /* of the terminal @out; 0: not a terminal */
	bool colour, ascii;    /* @ascii: ASCII characters only */
};

/* Prints nothing yet. */
struct watch_show *watch_show_new(const struct watch_show_options *options);
void watch_show_free(struct watch_show *show); /* NULL is fine */
DEFINE_CLEANUP(struct watch_show *, watch_show_free);

/* For watch_options.view. Its functions return -EPIPE, -ENOSPC ... if writing to @out fails. */
struct watch_view watch_show_view(struct watch_show *show);

#endif
