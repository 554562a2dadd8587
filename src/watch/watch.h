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
#include "proc/command_outcome.h"
#include "watch/probes/probes.h"
#include "watch/show/metric.h"
#include "watch/show/watch_result.h"
#include "watch/targets/watch_targets.h"

/* A request in words becomes one that can run. */

/* All pointers are borrowed while the request lives; NULL: not given. */
struct watch_words {
	struct watch_target_options targets; /* pid, exits, jumps, returns, foreign: set inside */
	const char *metrics;		     /* NULL: METRIC_DEFAULTS */
	const char *by;			     /* sum, cpu, pid, thread, comm */
	const int32_t *pids;
	size_t pid_count;
	const char *cpus; /* "0-3,8" */
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

/* What to list instead of watching. */
enum watch_listing {
	WATCH_LISTING_NONE,
	WATCH_LISTING_FUNCTIONS,
	WATCH_LISTING_BLOCKS,
	WATCH_LISTING_CODE,
};

/* Appends the list that @words ask for; only the first process counts. Errors as
 * watch_targets_new. */
int watch_request_list(const struct watch_words *words, enum watch_listing listing,
		       struct buf *text, struct err *err);

/* What to measure for the requested metrics. */

struct watch_counters {
	struct probe_counter list[PROBE_COUNTERS];
};

/* Sets measures and counters of @probes. @values: also the histogram of return values (--return).
 * @probes borrows @counters. */
void watch_metrics_measure(const struct metric_set *set, bool values,
			   struct watch_counters *counters, struct probe_options *probes);

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
