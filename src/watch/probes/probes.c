/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/open_limit.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "bpf/probes.skel.h"
#include "perf/cpu_list.h"
#include "watch/probes/probe_attach.h"
#include "watch/probes/probe_conditions.h"
#include "watch/probes/probe_programs.h"
#include "watch/probes/probe_rows.h"
#include "watch/probes/probe_sites.h"
#include "watch/probes/probe_ways.h"

enum {
	KEYS = 16384,	  /* default number of rows for pids, threads, comms */
	LEAST_KEYS = 256, /* and the least, if rows are large */
};

#define KEY_BYTES   (64ULL << 20) /* limit of the tables for the default number */
#define TABLE_BYTES (1ULL << 30)  /* limit of all tables */

#define SAME(a, b) _Static_assert((unsigned)(a) == (unsigned)(b), "both sides say the same")
SAME(PROBE_COUNTERS, PROBE_SLOT_COUNTERS);
SAME(PROBE_COMM, PROBE_COMM_SIZE);
SAME(PROBE_MAX_COMMS, PROBE_WIRE_COMMS);
SAME(PROBE_MAX_PIDS, PROBE_WIRE_PIDS);
SAME(PROBE_EXITS, PROBE_DO_EXITS);
SAME(PROBE_VIRTUAL, PROBE_DO_VIRTUAL);
SAME(PROBE_LATENCY, PROBE_DO_LATENCY);
SAME(PROBE_VALUES, PROBE_DO_VALUES);
SAME(PROBE_MOVED, PROBE_DO_MOVED);
SAME(PROBE_RETURN_UNKNOWN, PROBE_WIRE_UNKNOWN);
SAME(PROBE_RETURN_SIGNED, PROBE_WIRE_SIGNED);
SAME(PROBE_RETURN_UNSIGNED, PROBE_WIRE_UNSIGNED);
SAME(PROBE_RETURN_POINTER, PROBE_WIRE_POINTER);
SAME(PROBE_RETURN_NOTHING, PROBE_WIRE_NOTHING);
#undef SAME

struct probes {
	struct probe_options options; /* borrows texts and targets */
	struct probe_room room;
	struct probe_programs *programs;
	struct probe_rows *rows;
	struct probe_attached *attached;
	struct probe_sites *sites; /* NULL: there are none */
	struct probe_outcome *outcomes;
	VEC(int) events; /* of counters */
	struct probe_run_times times_at_open;
	uint64_t opened_ns, closed_ns;
	struct probe_cost cost_at_close;
	uint64_t trap_ns[PROBE_MECHANISM_COUNT]; /* a run without the program; 0: not in use */
	int64_t latency_lowest[PROBE_LATENCY_USED], value_lowest[PROBE_VALUE_USED];
};

/* ---- histograms ---- */

/* Computes the lowest value of each bucket; a bucket ends where the next one begins. */
static void find_scales(struct probes *probes)
{
	for (uint32_t i = 0; i < PROBE_LATENCY_USED; i++) {
		uint32_t group = i >> PROBE_LATENCY_BITS, in_group = i & 15;

		probes->latency_lowest[i] =
			group == 0 ? i : (int64_t)(16 + in_group) << (group - 1);
	}
	for (int32_t i = 0; i < PROBE_VALUE_USED; i++) {
		int64_t lowest;

		if (i == 0)
			lowest = INT64_MIN;
		else if (i < PROBE_VALUE_NEGATIVE)
			lowest = -(int64_t)((1ULL << (64 - i)) - 1);
		else if (i < PROBE_VALUE_POSITIVE)
			lowest = PROBE_VALUE_LEAST + i - PROBE_VALUE_NEGATIVE;
		else
			lowest = (int64_t)(4 + (i - PROBE_VALUE_POSITIVE) % 4)
				 << (3 + (i - PROBE_VALUE_POSITIVE) / 4);
		probes->value_lowest[i] = lowest;
	}
}

struct probe_scale probes_latency_scale(const struct probes *probes)
{
	return (struct probe_scale){ probes->latency_lowest, PROBE_LATENCY_USED };
}

struct probe_scale probes_value_scale(const struct probes *probes)
{
	return (struct probe_scale){ probes->value_lowest, PROBE_VALUE_USED };
}

/* ---- making ---- */

static uint64_t bytes_of_row(const struct probes *probes)
{
	unsigned measures = probes->options.measures;

	return probes->room.cpus * (sizeof(struct probe_slot) +
				    (measures & PROBE_LATENCY ? sizeof(struct probe_latency) : 0) +
				    (measures & PROBE_VALUES ? sizeof(struct probe_values) : 0));
}

static int find_room(struct probes *probes, struct err *err)
{
	const struct probe_options *options = &probes->options;
	size_t cpus = cpu_list_room();

	if (!cpus)
		return err_set(err, -EINVAL, "cannot determine the number of CPUs");
	probes->room.cpus = cpus;
	probes->room.rows = options->target_count;
	if (options->key != PROBE_BY_SUM && options->key != PROBE_BY_CPU) {
		size_t fits = KEY_BYTES / bytes_of_row(probes);

		probes->room.rows = options->most_keys	? options->most_keys
				    : fits > KEYS	? KEYS
				    : fits < LEAST_KEYS ? LEAST_KEYS
							: fits;
	}
	if (probes->room.rows * bytes_of_row(probes) > TABLE_BYTES)
		return err_set(
			err, -E2BIG,
			"the tables for %zu rows on %zu CPUs would take %llu MB: watch fewer "
			"functions, or omit latency and --return",
			probes->room.rows, probes->room.cpus,
			(unsigned long long)(probes->room.rows * bytes_of_row(probes) >> 20));
	return 0;
}

static int check(const struct probe_options *options, struct err *err)
{
	if (options->target_count == 0)
		return err_set(err, -EINVAL, "no function to watch");
	if (options->target_count > PROBE_MAX_TARGETS)
		return err_set(err, -E2BIG, "too many functions: %zu (at most %d at a time)",
			       options->target_count, PROBE_MAX_TARGETS);
	if (options->filter.pid_count > PROBE_MAX_PIDS)
		return err_set(err, -E2BIG, "too many processes: %zu (at most %d)",
			       options->filter.pid_count, PROBE_MAX_PIDS);
	if (options->filter.comm_count > PROBE_MAX_COMMS)
		return err_set(err, -E2BIG, "too many thread names: %zu (at most %d)",
			       options->filter.comm_count, PROBE_MAX_COMMS);
	if (options->go_count > PROBE_MOST_GO)
		return err_set(err, -E2BIG, "too many Go programs: %zu (at most %d)",
			       options->go_count, PROBE_MOST_GO);
	if (options->counter_count > PROBE_COUNTERS)
		return err_set(err, -E2BIG, "too many counters: %zu (at most %d)",
			       options->counter_count, PROBE_COUNTERS);
	return 0;
}

static int open_counter(struct probes *probes, size_t number, int cpu, struct err *err)
{
	const struct probe_counter *counter = &probes->options.counters[number];
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = counter->type,
					.config = counter->config };
	uint32_t index = (uint32_t)(number * probes->room.cpus) + (uint32_t)cpu;
	int map = bpf_map__fd(probe_programs_object(probes->programs)->maps.counter_events);
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return err_set(err, -errno, "cannot count %s on this machine: %s", counter->name,
			       errno == ENOENT || errno == EOPNOTSUPP ? "no such hardware counter"
								      : strerror(errno));
	*vec_push(&probes->events) = fd;
	if (bpf_map_update_elem(map, &index, &fd, BPF_ANY) < 0)
		return err_set(err, -errno, "cannot pass counter %s to the BPF programs: %s",
			       counter->name, strerror(errno));
	return 0;
}

static int open_counters(struct probes *probes, struct err *err)
{
	_cleanup_free_ int *cpus = NULL;
	size_t count;
	int rc = cpu_list_online(&cpus, &count, err);

	for (size_t i = 0; i < probes->options.counter_count && rc == 0; i++) {
		for (size_t j = 0; j < count && rc == 0; j++) {
			if (probes->options.counters[i].kind == PROBE_COUNT_PMU)
				rc = open_counter(probes, i, cpus[j], err);
		}
	}
	return rc;
}

static int choose_pids(struct probes *probes, struct err *err)
{
	const struct probe_filter *filter = &probes->options.filter;
	int map = bpf_map__fd(probe_programs_object(probes->programs)->maps.wanted_pids);
	uint64_t any = PROBE_ANY_PROCESS;

	for (size_t i = 0; i < filter->pid_count; i++) {
		if (bpf_map_update_elem(map, &filter->pids[i], &any, BPF_ANY) < 0)
			return err_set(err, -errno, "cannot select process %d: %s", filter->pids[i],
				       strerror(errno));
	}
	return 0;
}

static int make(struct probes *probes, struct err *err)
{
	const struct probe_options *options = &probes->options;
	struct probe_conditions conditions;
	int rc = check(options, err);

	if (rc == 0)
		rc = probe_conditions_parse(options, &conditions, err);
	if (rc == 0 && probe_conditions_need_exits(&conditions))
		probes->options.measures |= PROBE_EXITS;
	if (rc == 0)
		rc = find_room(probes, err);
	if (rc == 0)
		rc = probe_programs_new(options, &probes->room, &conditions, &probes->programs,
					err);
	if (rc == 0)
		rc = choose_pids(probes, err);
	if (rc == 0)
		rc = open_counters(probes, err);
	if (rc == 0)
		rc = probe_rows_new(options, probes->programs, &probes->room, &probes->rows, err);
	return rc;
}

int probes_new(const struct probe_options *options, struct probes **ret_probes, struct err *err)
{
	struct probes *probes = xcalloc(1, sizeof(*probes));
	int rc;

	probes->options = *options;
	probes->outcomes = xcalloc(options->target_count + 1, sizeof(*probes->outcomes));
	find_scales(probes);
	open_limit_raise();
	rc = make(probes, err);
	if (rc < 0) {
		probes_free(probes);
		return rc;
	}
	*ret_probes = probes;
	return 0;
}

void probes_free(struct probes *probes)
{
	if (!probes)
		return;
	probe_attach_free(probes->attached);
	probe_sites_free(probes->sites);
	probe_rows_free(probes->rows);
	probe_programs_free(probes->programs);
	for (size_t i = 0; i < probes->events.count; i++)
		close(probes->events.items[i]);
	vec_free(&probes->events);
	free(probes->outcomes);
	free(probes);
}

/* ---- attaching ---- */

/* The cost of a run without the program: measured, or by table. */
static uint64_t run_ns(enum probe_mechanism mechanism)
{
	bool multi = mechanism == PROBE_UPROBE_MULTI;
	uint64_t ns = multi || mechanism == PROBE_UPROBE ? probe_ways_measure_ns(multi) : 0;

	return ns ? ns : probe_ways_cost(mechanism)->run_ns;
}

struct probe_forecast probes_forecast(const struct probes *probes, bool thorough)
{
	struct probe_ways ways = probe_ways_find(thorough);
	size_t kernel = probes_count_targets(&probes->options, false);
	size_t user = probes_count_targets(&probes->options, true);
	struct probe_forecast forecast = {
		.kernel = kernel ? probe_ways_choose(&ways, false, kernel) : PROBE_NONE,
		.user = user ? probe_ways_choose(&ways, true, user) : PROBE_NONE,
	};

	forecast.attach_ns = kernel * probe_ways_cost(forecast.kernel)->attach_ns +
			     user * probe_ways_cost(forecast.user)->attach_ns;
	forecast.detach_ns = kernel * probe_ways_cost(forecast.kernel)->detach_ns +
			     user * probe_ways_cost(forecast.user)->detach_ns;
	forecast.hit_ns = user ? run_ns(forecast.user) : run_ns(forecast.kernel);
	return forecast;
}

static int check_any(const struct probes *probes, struct err *err)
{
	const struct probe_options *options = &probes->options;

	for (size_t i = 0; i < options->target_count; i++) {
		if (probes->outcomes[i].mechanism != PROBE_NONE)
			return 0;
	}
	return err_set(err, -ENOENT, "%s cannot be watched: %s%s", options->targets[0].label,
		       probes->outcomes[0].why,
		       options->target_count > 1 ? "; nor can any of the others" : "");
}

int probes_attach(struct probes *probes, struct err *err)
{
	int rc = probe_programs_follow_threads(probes->programs, err);

	if (rc == 0)
		rc = probe_attach_new(&probes->options, probes->programs, probes->outcomes,
				      &probes->attached, err);
	if (rc == 0)
		rc = check_any(probes, err);
	if (rc == 0)
		rc = probe_sites_new(&probes->options, probes->programs, &probes->sites, err);
	if (rc < 0) {
		probe_attach_free(probes->attached);
		probes->attached = NULL;
		probe_programs_leave_threads(probes->programs);
		return rc;
	}
	for (size_t i = 0; i < probes->options.target_count; i++) {
		enum probe_mechanism mechanism = probes->outcomes[i].mechanism;

		if (!probes->trap_ns[mechanism])
			probes->trap_ns[mechanism] = run_ns(mechanism);
	}
	return 0;
}

const struct probe_outcome *probes_outcome(const struct probes *probes, size_t target)
{
	return &probes->outcomes[target];
}

uint64_t probes_open(struct probes *probes)
{
	struct probes_bpf *object = probe_programs_object(probes->programs);

	probe_programs_times(probes->programs, &probes->times_at_open);
	probes->opened_ns = clock_ns();
	object->bss->opened_ns = probes->opened_ns;
	__atomic_store_n((uint32_t *)&object->bss->phase, PROBE_OPEN, __ATOMIC_RELEASE);
	return probes->opened_ns;
}

int probes_event_fd(const struct probes *probes)
{
	return probes->sites ? probe_sites_fd(probes->sites) : -1;
}

void probes_serve(struct probes *probes)
{
	if (probes->sites)
		probe_sites_serve(probes->sites);
}

uint64_t probes_close(struct probes *probes)
{
	struct probes_bpf *object = probe_programs_object(probes->programs);

	__atomic_store_n((uint32_t *)&object->bss->phase, PROBE_CLOSED, __ATOMIC_RELEASE);
	/* Until they are detached, probes are still hit, but no longer count. */
	probes->cost_at_close = probes_cost(probes);
	probes->closed_ns = clock_ns();
	probe_attach_free(probes->attached);
	probes->attached = NULL;
	probe_sites_free(probes->sites);
	probes->sites = NULL;
	probe_programs_leave_threads(probes->programs);
	return probes->closed_ns;
}

/* ---- reading ---- */

static struct probe_cost cost_now(const struct probes *probes)
{
	const struct probes_bpf *object = probe_programs_object(probes->programs);
	const struct probe_run_times *before = &probes->times_at_open;
	struct probe_run_times now;
	struct probe_cost cost;

	probe_programs_times(probes->programs, &now);
	cost = (struct probe_cost){ .program_ns = now.program_ns - before->program_ns,
				    .missed = now.missed - before->missed,
				    .keys_lost = object->bss->keys_lost,
				    .threads_lost = object->bss->threads_lost,
				    .sites_lost = object->bss->sites_lost,
				    .sites = probes->sites ? probe_sites_count(probes->sites) : 0 };
	for (size_t i = 0; i < PROBE_MECHANISM_COUNT; i++) {
		uint64_t hits = now.hits[i] - before->hits[i];

		cost.hits += hits;
		cost.trap_ns += hits * probes->trap_ns[i];
	}
	return cost;
}

struct probe_cost probes_cost(const struct probes *probes)
{
	return probes->closed_ns ? probes->cost_at_close : cost_now(probes);
}

void probes_read(struct probes *probes, struct probe_reading *ret_reading)
{
	struct probe_reading reading = { .time_ns = probes->closed_ns ? probes->closed_ns
								      : clock_ns() };

	reading.rows = probe_rows_read(probes->rows, probes->opened_ns, reading.time_ns,
				       &reading.row_count);
	reading.cost = probes_cost(probes);
	*ret_reading = reading;
}

/* ---- questions ---- */

size_t probes_count_targets(const struct probe_options *options, bool user)
{
	size_t count = 0;

	for (size_t i = 0; i < options->target_count; i++)
		count += options->targets[i].user == user;
	return count;
}

bool probes_need_sites(const struct probe_options *options)
{
	for (size_t i = 0; i < options->target_count; i++) {
		if (probe_target_needs_sites(&options->targets[i]))
			return true;
	}
	return false;
}

enum probe_mechanism probes_mechanism(bool user, size_t count)
{
	struct probe_ways ways = probe_ways_find(!user && count <= PROBE_MAX_FENTRY);

	return probe_ways_choose(&ways, user, count);
}
