/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/show/metric.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* See PERF_TYPE_HW_CACHE in perf_event_open(2). */
#define METRIC_CACHE(cache, operation, result)                                             \
	(PERF_COUNT_HW_CACHE_##cache | (uint64_t)PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
	 (uint64_t)PERF_COUNT_HW_CACHE_RESULT_##result << 16)

#define METRIC_HARDWARE		PROBE_COUNT_PMU, .type = PERF_TYPE_HARDWARE
#define METRIC_CACHES		PROBE_COUNT_PMU, .type = PERF_TYPE_HW_CACHE
#define METRIC_PAGE_FAULTS	PROBE_COUNT_PAGE_FAULTS
#define METRIC_CONTEXT_SWITCHES PROBE_COUNT_CONTEXT_SWITCHES
#define METRIC_CPU_MIGRATIONS	PROBE_COUNT_CPU_MIGRATIONS

static const struct metric_counter_row counters[METRIC_COUNTER_COUNT] = {
#define ROW(id, text, how, number, what)                                                        \
	[METRIC_COUNTER_##id] = { { .name = (text), .kind = METRIC_##how, .config = (number) }, \
				  .help = (what) },
	METRIC_COUNTERS(ROW)
#undef ROW
};

/* clang-format off */
#define COUNTED(id) (METRIC_COUNTED + METRIC_COUNTER_##id)

static const struct metric metrics[] = {
	{ "entries", METRIC_ENTRIES, METRIC_TIME, 0, "#/s", "#",
	  "how often the function was entered, or the instruction executed" },
	{ "exits", METRIC_EXITS, METRIC_TIME, 0, "#/s", "#",
	  "how often a call whose entry was seen returned to its caller, also through a tail call" },
	{ "exits-jump", METRIC_JUMPS, METRIC_TIME, 0, "#/s", "#",
	  "how often a function was left by a return or by a tail call (a jump to another function that returns in its place). Kernel functions are counted when they return" },
	{ "abandoned", METRIC_ABANDONED, METRIC_TIME, 0, "#/s", "#",
	  "calls ended by an exception or a longjmp. Their duration is known where unwinding was seen" },
	{ "end-not-seen", METRIC_UNSEEN, METRIC_TIME, 0, "#/s", "#",
	  "calls that jumped to another function and ended where there is no probe: in code without a file, or before the probe was attached. Their duration and return value are unknown" },
	{ "stack-switched", METRIC_SWITCHED, METRIC_TIME, 0, "#/s", "#",
	  "calls during which the thread switched to another stack, as fibers do. Their duration is unknown" },
	{ "walltime", METRIC_WALL, METRIC_TIME, 0, "threads", "thread-s",
	  "time from entry to exit, summed over threads, including the time a thread does not run. Live: the average number of threads inside. Of recursive calls only the outermost counts" },
	{ "walltime/invoc", METRIC_WALL, METRIC_TIMED, 0, "s", "s",
	  "walltime per call, over the calls whose duration is known: exits, and abandoned calls with a known duration" },
	{ "vtime", METRIC_VIRTUAL, METRIC_TIME, 0, "cpus", "cpu-s",
	  "the part of walltime during which the thread ran on a CPU. Live: the average number of CPUs inside" },
	{ "vtime/invoc", METRIC_VIRTUAL, METRIC_TIMED, 0, "s", "s",
	  "vtime per call, over the calls whose duration is known" },
	{ "latency-p50", METRIC_QUANTILE, METRIC_ONE, 0.5, "s", "s", "half of the calls took at most this long" },
	{ "latency-p90", METRIC_QUANTILE, METRIC_ONE, 0.9, "s", "s", "90 % of the calls took at most this long" },
	{ "latency-p99", METRIC_QUANTILE, METRIC_ONE, 0.99, "s", "s", "99 % of the calls took at most this long" },
	{ "latency-max", METRIC_QUANTILE, METRIC_ONE, 1, "s", "s", "the duration of the longest call" },
	{ "errors", METRIC_ERRORS, METRIC_TIME, 0, "#/s", "#",
	  "exits with a value from -4095 to -1, or NULL for a pointer, as far as the function's type is known, or as --error-if says. None for functions that return nothing or no negative numbers" },
	{ "errors/invoc", METRIC_ERRORS, METRIC_EXITS, 0, "frac", "frac", "errors per exit" },
	{ "inside", METRIC_INSIDE, METRIC_ONE, 0, "threads", "threads",
	  "threads inside at the end of the interval" },
	{ "nested", METRIC_NESTED, METRIC_TIME, 0, "#/s", "#",
	  "entries by a thread that was already inside" },
	{ "moves", METRIC_MOVED, METRIC_TIME, 0, "#/s", "#",
	  "entries on another CPU than the same thread's previous entry" },
	{ "locality", METRIC_MOVED, METRIC_ENTRIES, 0, "frac", "frac",
	  "moves per entry: 0 if every thread always enters on the same CPU" },
#define ROW(id, text, how, number, what) \
	{ text, COUNTED(id), METRIC_TIME, 0, "#/s", "#", what " during calls, counted only while the thread ran" }, \
	{ text "/invoc", COUNTED(id), METRIC_TIMED, 0, "#", "#", \
	  what " per call: " text " over the calls whose duration is known" },
	METRIC_COUNTERS(ROW)
#undef ROW
	{ "IPC", COUNTED(INSTRUCTIONS), COUNTED(CYCLES), 0, "#", "#", "instructions per cycle" },
	{ "CPI", COUNTED(CYCLES), COUNTED(INSTRUCTIONS), 0, "#", "#", "cycles per instruction" },
	{ "cache-miss-ratio", COUNTED(CACHE_MISSES), COUNTED(CACHE_REFERENCES), 0, "frac", "frac",
	  "cache-misses / cache-references" },
	{ "branch-miss-ratio", COUNTED(BRANCH_MISSES), COUNTED(BRANCHES), 0, "frac", "frac",
	  "branch-misses / branches" },
	{ "L1-dcache-miss-ratio", COUNTED(L1D_LOAD_MISSES), COUNTED(L1D_LOADS), 0, "frac", "frac",
	  "L1-dcache-load-misses / L1-dcache-loads" },
	{ "frontend-stall-ratio", COUNTED(STALLED_FRONTEND), COUNTED(CYCLES), 0, "frac", "frac",
	  "stalled-cycles-frontend / cycles" },
	{ "backend-stall-ratio", COUNTED(STALLED_BACKEND), COUNTED(CYCLES), 0, "frac", "frac",
	  "stalled-cycles-backend / cycles" },
};
/* clang-format on */

/* Alternative names; the first two are from Kperfmon's window. "latency" is a family. */
static const struct {
	const char *name, *means;
} aliases[] = {
	{ "threadSeconds", "walltime" }, { "latency/invoc", "walltime/invoc" },
	{ "entries to", "entries" },	 { "exits from", "exits" },
	{ "calls", "entries" },		 { "faults", "page-faults" },
	{ "cs", "context-switches" },	 { "migrations", "cpu-migrations" },
};

static const char family_name[] = "latency";
static const char family_prefix[] = "latency-";

enum { NAME_MAX_BYTES = 64, MISTYPED_LETTERS = 3 };

const struct metric_counter_row *metric_counter(enum metric_counter counter)
{
	return &counters[counter];
}

size_t metric_count(void)
{
	return sizeof(metrics) / sizeof(*metrics);
}

const struct metric *metric_at(size_t index)
{
	return &metrics[index];
}

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++) {
		if (strcasecmp(name, aliases[i].name) == 0)
			name = aliases[i].means;
	}
	for (size_t i = 0; i < metric_count(); i++) {
		if (strcasecmp(name, metrics[i].name) == 0)
			return &metrics[i];
	}
	return NULL;
}

int metric_unknown(const char *name, struct err *err)
{
	unsigned best = MISTYPED_LETTERS;
	const char *nearest = NULL;

	for (size_t i = 0; i < metric_count(); i++) {
		unsigned distance = text_distance(name, metrics[i].name, best);

		if (distance < best) {
			best = distance;
			nearest = metrics[i].name;
		}
	}
	if (nearest)
		return err_set(err, -ENOENT, "unknown metric '%s'; did you mean '%s'?", name,
			       nearest);
	return err_set(err, -ENOENT, "unknown metric '%s'; --help-metric all lists them", name);
}

/* ---- what was asked for ---- */

static int need_counter(struct metric_set *set, unsigned source, struct err *err)
{
	enum metric_counter counter;

	if (source < METRIC_COUNTED)
		return 0;
	counter = (enum metric_counter)(source - METRIC_COUNTED);
	set->virtual_time = true;
	for (size_t i = 0; i < set->counter_count; i++) {
		if (set->counters[i] == counter)
			return 0;
	}
	if (set->counter_count == PROBE_COUNTERS)
		return err_set(err, -EINVAL,
			       "%s is one counter too many: at most %d can be counted at a time",
			       counters[counter].counter.name, PROBE_COUNTERS);
	set->counters[set->counter_count++] = counter;
	return 0;
}

static bool is_of_entries(unsigned source)
{
	return source == METRIC_ONE || source == METRIC_TIME || source == METRIC_ENTRIES ||
	       source == METRIC_MOVED;
}

bool metric_needs_exits(const struct metric *metric)
{
	return !is_of_entries(metric->over) || !is_of_entries(metric->under);
}

static bool is_of_thread(unsigned source)
{
	return source == METRIC_VIRTUAL || source >= METRIC_COUNTED;
}

bool metric_needs_thread(const struct metric *metric)
{
	return is_of_thread(metric->over) || is_of_thread(metric->under);
}

bool metric_needs_errors(const struct metric *metric)
{
	return metric->over == METRIC_ERRORS || metric->under == METRIC_ERRORS;
}

static void need_source(struct metric_set *set, unsigned source)
{
	set->exits |= !is_of_entries(source);
	set->errors |= source == METRIC_ERRORS;
	set->virtual_time |= source == METRIC_VIRTUAL;
	set->latency |= source == METRIC_QUANTILE;
	set->moved |= source == METRIC_MOVED;
}

static int add_metric(struct metric_set *set, const struct metric *metric, struct err *err)
{
	int rc;

	for (size_t i = 0; i < set->count; i++) {
		if (set->metrics[i] == metric)
			return err_set(err, -EINVAL, "metric %s is given twice", metric->name);
	}
	if (set->count == METRIC_SET_MAX)
		return err_set(err, -EINVAL, "too many metrics (at most %d)", METRIC_SET_MAX);
	set->metrics[set->count++] = metric;
	need_source(set, metric->over);
	need_source(set, metric->under);
	rc = need_counter(set, metric->over, err);
	return rc < 0 ? rc : need_counter(set, metric->under, err);
}

static int add_name(struct metric_set *set, const char *name, struct err *err)
{
	const struct metric *metric = metric_find(name);
	int rc = 0;

	if (metric)
		return add_metric(set, metric, err);
	if (strcasecmp(name, family_name) != 0) {
		metric_unknown(name, err);
		return -EINVAL;
	}
	for (size_t i = 0; i < metric_count() && rc == 0; i++) {
		if (strncmp(metrics[i].name, family_prefix, sizeof(family_prefix) - 1) == 0)
			rc = add_metric(set, &metrics[i], err);
	}
	return rc;
}

int metric_set_parse(const char *names, struct metric_set *ret_set, struct err *err)
{
	struct metric_set set = { .count = 0 };
	int rc = 0;

	while (rc == 0) {
		size_t length = strcspn(names, ",");
		char name[NAME_MAX_BYTES];

		if (length == 0 || length >= sizeof(name))
			return err_set(
				err, -EINVAL,
				"invalid list of metrics '%.60s': a name is empty or too long",
				names);
		memcpy(name, names, length);
		name[length] = '\0';
		rc = add_name(&set, name, err);
		names += length;
		if (*names++ == '\0')
			break;
	}
	if (rc == 0)
		*ret_set = set;
	return rc;
}

/* ---- values ---- */

static double counted(const struct metric_set *set, const struct probe_counts *counts,
		      unsigned source)
{
	for (size_t i = 0; i < set->counter_count; i++) {
		if (set->counters[i] == (enum metric_counter)(source - METRIC_COUNTED))
			return (double)counts->counters[i];
	}
	return NAN;
}

/* The bucket of the value with rank @rank (from 1). */
static size_t find_rank(const uint64_t *histogram, size_t count, double rank, double *ret_before)
{
	double before = 0;
	size_t i = 0, last = 0;

	for (; i < count; i++) {
		if (!histogram[i])
			continue;
		last = i;
		*ret_before = before;
		before += (double)histogram[i];
		if (before >= rank)
			break;
	}
	return last;
}

double metric_quantile(const uint64_t *histogram, const struct probe_scale *scale, double quantile)
{
	double total = 0, before = 0, low, high;
	size_t bucket;

	for (size_t i = 0; i < scale->count; i++)
		total += (double)histogram[i];
	if (total == 0)
		return NAN;
	bucket = find_rank(histogram, scale->count, quantile * total, &before);
	low = (double)scale->lowest[bucket];
	high = bucket + 1 < scale->count ? (double)scale->lowest[bucket + 1] : low;
	return low + (high - low) * (quantile * total - before) / (double)histogram[bucket];
}

static double quantile_seconds(const struct metric *metric, const struct metric_counts *counts)
{
	double ns;

	if (!counts->latency)
		return NAN;
	ns = metric_quantile(counts->latency, &counts->scale, metric->quantile);
	/* The longest duration is known exactly. */
	if ((metric->quantile >= 1 && ns == ns && counts->seconds == 0) ||
	    (counts->counts->longest_ns && ns > (double)counts->counts->longest_ns))
		ns = (double)counts->counts->longest_ns;
	return ns / 1e9;
}

static double source_value(const struct metric *metric, unsigned source,
			   const struct metric_set *set, const struct metric_counts *counts)
{
	const struct probe_counts *c = counts->counts;

	switch (source) {
	case METRIC_ONE:
		return 1;
	case METRIC_TIME:
		return counts->seconds > 0 ? counts->seconds : 1;
	case METRIC_ENTRIES:
		return (double)c->entries;
	case METRIC_EXITS:
		return (double)c->exits;
	case METRIC_TIMED:
		return (double)c->timed;
	case METRIC_JUMPS:
		return (double)c->jumps;
	case METRIC_ABANDONED:
		return (double)c->abandoned;
	case METRIC_UNSEEN:
		return (double)c->unseen;
	case METRIC_SWITCHED:
		return (double)c->switched;
	case METRIC_WALL:
		return (double)c->wall_ns / 1e9;
	case METRIC_VIRTUAL:
		return (double)c->virtual_ns / 1e9;
	case METRIC_ERRORS:
		return (double)c->errors;
	case METRIC_MOVED:
		return (double)c->moved;
	case METRIC_NESTED:
		return (double)c->nested;
	case METRIC_INSIDE:
		return (double)c->inside;
	case METRIC_QUANTILE:
		return quantile_seconds(metric, counts);
	default:
		return counted(set, c, source);
	}
}

double metric_value(const struct metric *metric, const struct metric_set *set,
		    const struct metric_counts *counts)
{
	double under = source_value(metric, metric->under, set, counts);

	if (!(under > 0))
		return NAN;
	return source_value(metric, metric->over, set, counts) / under;
}
