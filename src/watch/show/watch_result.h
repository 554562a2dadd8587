/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a running watch hands to its view: first what is attached, then one tick per interval, at
 * the end the totals. watch/watch.h calls the view; everything is borrowed for the call.
 */
#ifndef WATCH_SHOW_WATCH_RESULT_H
#define WATCH_SHOW_WATCH_RESULT_H

#include "model/probe.h"

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
	const char *const *counters; /* names of probe_counts.counters, in order */
	size_t counter_count;
	bool errors_told; /* a condition defines errors, not the functions' types */
	struct probe_scale latency, values;
	uint64_t attach_ns;
	uint64_t interval_ns; /* 0: no ticks, only totals */
	double budget;	      /* share of one CPU; 0: no limit */
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

#endif
