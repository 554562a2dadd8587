/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the room: watching functions while they are called. A request in words is made into
 * one that can run; a running watch attaches probes, reads them each interval, gives what there was
 * to a view, and ends by time, signal, the command's end, or by itself when it costs too much.
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

/* A watch as it is asked for in words, made into one that can run. */

/* All is borrowed, as long as the request lives; NULL: not given. */
struct watch_words {
	struct watch_target_options targets; /* pid, exits, jumps, returns, foreign: set here */
	const char *metrics;		     /* NULL: METRIC_DEFAULTS */
	const char *by;			     /* sum, cpu, pid, thread, comm */
	const int32_t *pids;
	size_t pid_count;
	const char *cpus; /* "0-3,8" */
	const char *const *comms;
	size_t comm_count;
	const char *condition, *error_if; /* NULL: none */
	bool values;			  /* the histogram of what is returned */
};

struct watch_request;

/* -EINVAL: something makes no sense; else as watch_targets_new. */
int watch_request_new(const struct watch_words *words, struct watch_request **ret_request,
		      struct err *err);
void watch_request_free(struct watch_request *request); /* NULL is fine */
DEFINE_CLEANUP(struct watch_request *, watch_request_free);

/* For watch_options.probes. Borrowed from @request. */
const struct probe_options *watch_request_probes(const struct watch_request *request);
const struct metric_set *watch_request_metrics(const struct watch_request *request);
/* As watch_targets_note. */
const char *watch_request_note(const struct watch_request *request, size_t index);

/* What is listed in place of watching. */
enum watch_listing {
	WATCH_LISTING_NONE,
	WATCH_LISTING_FUNCTIONS,
	WATCH_LISTING_BLOCKS,
	WATCH_LISTING_CODE,
};

/* Appends the list of what @words name; the first of their processes counts. Errors as
 * watch_targets_new. */
int watch_request_list(const struct watch_words *words, enum watch_listing listing,
		       struct buf *text, struct err *err);

/* What has to be measured for the metrics that were asked for. */

struct watch_counters {
	struct probe_counter list[PROBE_COUNTERS];
};

/* Sets measures and counters of @probes. @values: the histogram of what is returned is wanted
 * (--return). @counters is lent to @probes. */
void watch_metrics_measure(const struct metric_set *set, bool values,
			   struct watch_counters *counters, struct probe_options *probes);

/* --help-metric: the definition, the unit, what is attached; all metrics in a line each for NULL.
 * -ENOENT: there is no such metric. */
int watch_metrics_help(const char *name, struct buf *text, struct err *err);

/* What a watch would cost, before it is begun. */

/* Adds lines to @text: how targets would be reached, how long it takes to attach and detach them,
 * what a call would cost; and the part of a CPU that it would take, by counting entries for half a
 * second, unless that takes long to attach or costs too much, or @command is to be watched, which
 * does not run yet. */
int watch_forecast_tell(const struct probe_options *options, bool command, struct buf *text,
			struct err *err);

/*
 * A running watch: attaches probes to targets that are resolved already, reads them each interval,
 * gives what there was to a view, and ends by time, signal, the command's end, or by itself when it
 * costs too much.
 */

struct watch_options {
	struct probe_options probes; /* its give_up is set by watch_run */
	char *const *argv; /* a command: only it and what it forks is watched; NULL: none */
	double interval_s; /* 0: no ticks */
	double duration_s; /* 0: until a signal or the command's end */
	double budget;	   /* part of one CPU; 0: no limit */
	bool even_slow;	   /* attach also what takes long (--yes) */
	bool as_user;	   /* under sudo: the command as the user who called it */
	/* Told before it begins that attaching will take long; seconds. NULL: nobody is. */
	void (*tell)(void *context, double attach_s, double detach_s);
	/* Told how far something is that takes long, as probe_options.tell. NULL: nobody is. */
	void (*progress)(void *context, const char *act, size_t done, size_t count);
	void *tell_context; /* of both */
	struct watch_view view;
};

struct watch_result {
	enum watch_end end;
	struct command_outcome outcome;
};

/* Watches. Returns 0, also when the command failed or the watch detached by itself, or a negative
 * errno with the reason; *ret_result is set in any case. */
int watch_run(const struct watch_options *options, struct watch_result *ret_result,
	      struct err *err);

/*
 * A running watch for people and programs: a table each interval (drawn anew on a terminal, one
 * below the other elsewhere), curves, or a stream of CSV or JSON lines; and totals, histograms and
 * what it cost at the end.
 */

struct watch_show;

enum watch_form {
	WATCH_FORM_TEXT,
	WATCH_FORM_CSV,	 /* one row per interval, target, key and metric */
	WATCH_FORM_JSON, /* JSON Lines: one object per interval, target and key */
};

struct watch_show_options {
	const struct metric_set *metrics; /* borrowed, as all below */
	enum watch_form form;
	bool plot; /* curves of the first metrics, in place of the table */
	FILE *out;
	FILE *notes; /* what is no row goes there where @out is for programs; NULL: nowhere */
	size_t lines, columns; /* of the terminal that @out is; 0: it is none */
	bool colour, ascii;    /* @ascii: no other characters */
};

/* Nothing is printed yet. */
struct watch_show *watch_show_new(const struct watch_show_options *options);
void watch_show_free(struct watch_show *show); /* NULL is fine */
DEFINE_CLEANUP(struct watch_show *, watch_show_free);

/* What watch/watch.h calls. Its functions return -EPIPE, -ENOSPC ... when @out takes no more. */
struct watch_view watch_show_view(struct watch_show *show);

#endif
