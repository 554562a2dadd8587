/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics of a watched function: name, unit, definition. One table for the code that measures
 * (what to attach for a metric) and the code that shows (how to compute its value).
 *
 * A metric is a quotient: a count within some time, over that time, over the number of exits, or
 * over another count. Live, "walltime" has the unit "threads" (seconds per second: how many threads
 * were inside on average); as a total, "thread-s".
 */
#ifndef WATCH_SHOW_METRIC_H
#define WATCH_SHOW_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/probe.h"

/* Events that are counted during calls. Columns: id, name, how it is counted, config as in
 * perf_event_open(2), help. Only metric.c expands how and config. */
/* clang-format off */
#define METRIC_COUNTERS(X) \
	X(CYCLES, "cycles", HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "processor cycles") \
	X(INSTRUCTIONS, "instructions", HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions retired") \
	X(CACHE_REFERENCES, "cache-references", HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "accesses to the last-level cache") \
	X(CACHE_MISSES, "cache-misses", HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "last-level cache misses") \
	X(BRANCHES, "branches", HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches retired") \
	X(BRANCH_MISSES, "branch-misses", HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "mispredicted branches") \
	X(STALLED_FRONTEND, "stalled-cycles-frontend", HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, \
	  "cycles stalled in the frontend") \
	X(STALLED_BACKEND, "stalled-cycles-backend", HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, \
	  "cycles stalled in the backend") \
	X(L1D_LOADS, "L1-dcache-loads", CACHES, METRIC_CACHE(L1D, READ, ACCESS), "loads from the level 1 data cache") \
	X(L1D_LOAD_MISSES, "L1-dcache-load-misses", CACHES, METRIC_CACHE(L1D, READ, MISS), \
	  "loads that missed the level 1 data cache") \
	X(L1I_LOAD_MISSES, "L1-icache-load-misses", CACHES, METRIC_CACHE(L1I, READ, MISS), \
	  "fetches that missed the level 1 instruction cache") \
	X(DTLB_LOAD_MISSES, "dTLB-load-misses", CACHES, METRIC_CACHE(DTLB, READ, MISS), \
	  "loads that missed the data TLB") \
	X(ITLB_LOAD_MISSES, "iTLB-load-misses", CACHES, METRIC_CACHE(ITLB, READ, MISS), \
	  "fetches that missed the instruction TLB") \
	X(PAGE_FAULTS, "page-faults", PAGE_FAULTS, 0, "page faults of any kind") \
	X(CONTEXT_SWITCHES, "context-switches", CONTEXT_SWITCHES, 0, "times the thread was switched off its CPU") \
	X(CPU_MIGRATIONS, "cpu-migrations", CPU_MIGRATIONS, 0, "times the thread moved to another CPU")
/* clang-format on */

#define METRIC_COUNTER_ENUM(id, ...) METRIC_COUNTER_##id,
enum metric_counter { METRIC_COUNTERS(METRIC_COUNTER_ENUM) METRIC_COUNTER_COUNT };

struct metric_counter_row {
	struct probe_counter counter;
	const char *help;
};

/* @counter < METRIC_COUNTER_COUNT. */
const struct metric_counter_row *metric_counter(enum metric_counter counter);

/* The operands of a metric. */
enum metric_source {
	METRIC_ONE,  /* the number 1 */
	METRIC_TIME, /* seconds that passed; 1 in totals */
	METRIC_ENTRIES,
	METRIC_EXITS,
	METRIC_TIMED, /* calls that ended, with a known duration */
	METRIC_JUMPS,
	METRIC_ABANDONED,
	METRIC_UNSEEN,
	METRIC_SWITCHED,
	METRIC_WALL,	/* seconds */
	METRIC_VIRTUAL, /* seconds */
	METRIC_ERRORS,
	METRIC_MOVED,
	METRIC_NESTED,
	METRIC_INSIDE,
	METRIC_QUANTILE, /* seconds that a share of the calls took at most */
	METRIC_COUNTED,	 /* + enum metric_counter */
};

struct metric {
	const char *name;	/* as typed and printed */
	unsigned over, under;	/* enum metric_source (+ enum metric_counter) */
	double quantile;	/* of METRIC_QUANTILE; 1: the longest */
	const char *unit;	/* of the live value */
	const char *total_unit; /* of the total */
	const char *help;	/* the definition: a sentence */
};

/* All metrics, in listing order. */
size_t metric_count(void);
const struct metric *metric_at(size_t index); /* @index < metric_count() */
/* Finds a metric by name, ignoring case. NULL: none. */
const struct metric *metric_find(const char *name);
/* True if the metric needs exits: it has no value for an instruction, or for a function whose exits
 * cannot be probed. */
bool metric_needs_exits(const struct metric *metric);
/* True if the metric needs to know what a thread did on a CPU: it has no value if a call can move
 * from thread to thread. */
bool metric_needs_thread(const struct metric *metric);
/* True if the metric has no value for functions that cannot return an error. */
bool metric_needs_errors(const struct metric *metric);
/* -ENOENT with a message that suggests the nearest name. */
int metric_unknown(const char *name, struct err *err);

/* ---- what was asked for ---- */

enum { METRIC_SET_MAX = 32 };

/* The columns of one watch, and what to measure for them. */
struct metric_set {
	const struct metric *metrics[METRIC_SET_MAX];
	size_t count;
	bool exits;	   /* exits are needed: for exits, times, errors */
	bool errors;	   /* return values are needed */
	bool virtual_time; /* time on a CPU, or counters */
	bool latency;	   /* the histogram of durations */
	bool moved;
	enum metric_counter counters[PROBE_COUNTERS]; /* in the order of probe_counts.counters */
	size_t counter_count;
};

/* The default columns. */
#define METRIC_DEFAULTS "entries,walltime,vtime,walltime/invoc,errors"

/* Parses comma-separated names; "latency" stands for latency-p50 to latency-max and the histogram.
 * -EINVAL: an unknown or repeated name, an empty list, or too many counters for one watch. */
int metric_set_parse(const char *names, struct metric_set *ret_set, struct err *err);

/* ---- values ---- */

/* One row's counts within some time. */
struct metric_counts {
	const struct probe_counts *counts;
	const uint64_t *latency;  /* the row's histogram; NULL: none */
	struct probe_scale scale; /* of the histogram */
	double seconds;		  /* 0: totals */
};

/* The value in the metric's unit; NaN if there is none: nothing to divide by, or no histogram. */
double metric_value(const struct metric *metric, const struct metric_set *set,
		    const struct metric_counts *counts);
/* The value that a share @quantile (0 to 1) of a histogram's values does not exceed, in the scale's
 * unit, as if values were spread evenly over a bucket. NaN if the histogram is empty. */
double metric_quantile(const uint64_t *histogram, const struct probe_scale *scale, double quantile);

#endif
