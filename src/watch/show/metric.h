/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be said of a watched function, as words: name, unit, definition. One table for who
 * measures (what has to be attached for a metric) and who shows (how its value comes about).
 *
 * A metric is one number over another: what was counted within a stretch of time, over that time,
 * or over how often the function was left, or over another count. Live, "walltime" has the unit
 * "threads" (seconds per second: how many threads were inside on average); as a total it is
 * "thread-s".
 */
#ifndef WATCH_SHOW_METRIC_H
#define WATCH_SHOW_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/probe.h"

/* Counts that are attributed to calls. id, name, how it is counted (enum metric_counting), config
 * as perf_event_open(2) has it, what it is. Only metric.c looks at the configs. */
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
	X(L1D_LOADS, "L1-dcache-loads", CACHE, METRIC_CACHE(L1D, READ, ACCESS), "loads from the level 1 data cache") \
	X(L1D_LOAD_MISSES, "L1-dcache-load-misses", CACHE, METRIC_CACHE(L1D, READ, MISS), \
	  "loads that missed the level 1 data cache") \
	X(L1I_LOAD_MISSES, "L1-icache-load-misses", CACHE, METRIC_CACHE(L1I, READ, MISS), \
	  "fetches that missed the level 1 instruction cache") \
	X(DTLB_LOAD_MISSES, "dTLB-load-misses", CACHE, METRIC_CACHE(DTLB, READ, MISS), \
	  "loads that missed the data TLB") \
	X(ITLB_LOAD_MISSES, "iTLB-load-misses", CACHE, METRIC_CACHE(ITLB, READ, MISS), \
	  "fetches that missed the instruction TLB") \
	X(PAGE_FAULTS, "page-faults", PAGE_FAULTS, 0, "page faults of any kind") \
	X(CONTEXT_SWITCHES, "context-switches", CONTEXT_SWITCHES, 0, "times the thread was switched off its CPU") \
	X(CPU_MIGRATIONS, "cpu-migrations", CPU_MIGRATIONS, 0, "times the thread moved to another CPU")
/* clang-format on */

enum metric_counter {
#define METRIC_COUNTER_ENUM(id, name, counting, config, help) METRIC_COUNTER_##id,
	METRIC_COUNTERS(METRIC_COUNTER_ENUM)
#undef METRIC_COUNTER_ENUM
		METRIC_COUNTER_COUNT
};

enum metric_counting {
	METRIC_COUNTING_HARDWARE, /* PERF_TYPE_HARDWARE */
	METRIC_COUNTING_CACHE,	  /* PERF_TYPE_HW_CACHE */
	METRIC_COUNTING_PAGE_FAULTS,
	METRIC_COUNTING_CONTEXT_SWITCHES,
	METRIC_COUNTING_CPU_MIGRATIONS,
};

struct metric_counter_row {
	const char *name, *help;
	enum metric_counting counting;
	uint32_t type;	 /* of perf_event_open(2), for the first two */
	uint64_t config; /* likewise */
};

/* @counter < METRIC_COUNTER_COUNT. */
const struct metric_counter_row *metric_counter(enum metric_counter counter);

/* What a metric is made of. */
enum metric_source {
	METRIC_ONE,  /* nothing: the number as it is */
	METRIC_TIME, /* seconds that went by; in totals nothing */
	METRIC_ENTRIES,
	METRIC_EXITS,
	METRIC_TIMED, /* calls that ended and whose time is known */
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
	METRIC_QUANTILE, /* seconds a part of the calls took at most */
	METRIC_COUNTED,	 /* + enum metric_counter */
};

struct metric {
	const char *name;	/* as typed and printed */
	unsigned over, under;	/* enum metric_source (+ enum metric_counter) */
	double quantile;	/* of METRIC_QUANTILE; 1: the longest */
	const char *unit;	/* live */
	const char *total_unit; /* of the same at the end */
	const char *help;	/* the definition, a sentence */
};

/* What there is, in the order it is listed. */
size_t metric_count(void);
const struct metric *metric_at(size_t index); /* @index < metric_count() */
/* By its name, in any case of letters. NULL: there is none. */
const struct metric *metric_find(const char *name);
/* Is nothing known of it where only entries are watched: an instruction, or a function whose ends
 * cannot be had? */
bool metric_needs_exits(const struct metric *metric);
/* Is nothing known of it where a call goes from thread to thread: of what its thread did on a CPU? */
bool metric_needs_thread(const struct metric *metric);
/* Is nothing known of it where functions return nothing that could be an error? */
bool metric_needs_errors(const struct metric *metric);
/* -ENOENT and a line that says so, with the nearest name. */
int metric_unknown(const char *name, struct err *err);

/* ---- what was asked for ---- */

enum { METRIC_SET_MAX = 32 };

/* The columns of one watch, and what has to be measured for them. */
struct metric_set {
	const struct metric *metrics[METRIC_SET_MAX];
	size_t count;
	bool exits;	   /* the ends of calls are needed: exits, times, errors */
	bool errors;	   /* what functions return is needed */
	bool virtual_time; /* time on a CPU, or counters */
	bool latency;	   /* the histogram of how long calls took */
	bool moved;
	enum metric_counter counters[PROBE_COUNTERS]; /* in the order of probe_counts.counters */
	size_t counter_count;
};

/* What is shown where nothing is asked for. */
#define METRIC_DEFAULTS "entries,walltime,vtime,walltime/invoc,errors"

/* Reads names separated by commas; "latency" stands for latency-p50 to latency-max and turns the
 * histogram on. -EINVAL: an unknown or a repeated name, none, or more counters than can be counted
 * at a time. */
int metric_set_parse(const char *names, struct metric_set *ret_set, struct err *err);

/* ---- values ---- */

/* One row's counts within a stretch of time. */
struct metric_counts {
	const struct probe_counts *counts;
	const uint64_t *latency;  /* the row's histogram; NULL: none */
	struct probe_scale scale; /* of it */
	double seconds;		  /* 0: the whole, told as totals */
};

/* The value in the metric's unit; NaN where there is none: nothing to divide by, no histogram. */
double metric_value(const struct metric *metric, const struct metric_set *set,
		    const struct metric_counts *counts);
/* The value below which the part @quantile (0 to 1) of a histogram lies, in the scale's unit, as if
 * values were spread evenly over a bucket. NaN when it is empty. */
double metric_quantile(const uint64_t *histogram, const struct probe_scale *scale, double quantile);

#endif
