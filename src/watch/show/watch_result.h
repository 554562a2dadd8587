/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a running watch gives to whoever shows it: once what is attached, then a tick per interval,
 * and at the end the totals. watch/watch.h calls; everything is borrowed for the call.
 */
#ifndef WATCH_SHOW_WATCH_RESULT_H
#define WATCH_SHOW_WATCH_RESULT_H

#include "model/probe.h"

/* Why a watch is over. */
enum watch_end {
	WATCH_GOES_ON,
	WATCH_DURATION,	 /* --duration is over */
	WATCH_COMMAND,	 /* the command has ended */
	WATCH_STOPPED,	 /* a signal */
	WATCH_BUDGET,	 /* it cost more than it may */
	WATCH_GONE,	 /* the processes that were chosen have ended */
	WATCH_NOT_SHOWN, /* whoever shows it wants no more */
};

/* What does not change while it runs. */
struct watch_setting {
	const struct probe_target *targets;
	const struct probe_outcome *outcomes; /* one for each */
	size_t target_count;
	size_t attached; /* how many of them were not refused */
	enum probe_key key;
	const char *const *counters; /* names of probe_counts.counters, in order */
	size_t counter_count;
	bool errors_told; /* a condition tells what an error is, not the types of functions */
	struct probe_scale latency, values;
	uint64_t attach_ns;
	uint64_t interval_ns; /* 0: no ticks, only totals */
	double budget;	      /* the part of one CPU it may take; 0: no limit */
};

struct watch_tick {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	uint64_t began_ns;	 /* of the whole watch */
	/* Differences, but for `inside` and `longest_ns`, which are as at the end. Of every target
	 * that is attached where the key is the sum, else of each key that was ever met. */
	const struct probe_row *rows;
	size_t row_count;
	struct probe_cost cost; /* within it */
	enum watch_end end;	/* the last tick, and the totals: why */
};

struct watch_totals {
	struct watch_tick all; /* from began_ns to the end; rows as sums */
	uint64_t detach_ns;
};

/* Who shows it. A negative errno ends the watch (WATCH_NOT_SHOWN). */
struct watch_view {
	void *context;
	int (*begin)(void *context, const struct watch_setting *setting);
	int (*tick)(void *context, const struct watch_tick *tick);
	int (*end)(void *context, const struct watch_totals *totals);
};

#endif
