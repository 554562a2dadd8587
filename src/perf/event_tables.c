/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_sources.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define SOFTWARE(name)	PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##name
#define HARDWARE(name)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum {
	SW_CGROUP_SWITCHES = 11, /* missing in older linux/perf_event.h */
	LEAST_OFTEN = 6000,	 /* events that happen at most instructions */
	LEAST_SELDOM = 500,	 /* misses and the like, and unknown events */
	NEAR = 4,		 /* letters that may differ, plus one */
};

/* The names of perf_event_open(2) in the spelling of perf-list(1); `other` is an alias. */
static const struct {
	const char *name, *other;
	uint32_t type;
	uint64_t config;
	uint64_t least_period;
	const char *text;
} fixed[] = {
	{ "cpu-clock", NULL, SOFTWARE(CPU_CLOCK), 1, "time on CPUs, by the CPU's timer (ns)" },
	{ "task-clock", NULL, SOFTWARE(TASK_CLOCK), 1, "time the task ran (ns)" },
	{ "page-faults", "faults", SOFTWARE(PAGE_FAULTS), 1, "page faults" },
	{ "minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN), 1,
	  "minor page faults (no disk access)" },
	{ "major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ), 1, "major page faults (disk access)" },
	{ "context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), 1,
	  "switches from one thread to another" },
	{ "cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), 1,
	  "moves of a thread to another CPU" },
	{ "alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS), 1,
	  "unaligned accesses that the kernel fixed up" },
	{ "emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS), 1,
	  "instructions that the kernel emulated" },
	{ "cgroup-switches", NULL, PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES, 1,
	  "switches between threads of different cgroups" },
	{ "cycles", "cpu-cycles", HARDWARE(CPU_CYCLES), LEAST_OFTEN, "CPU cycles" },
	{ "instructions", NULL, HARDWARE(INSTRUCTIONS), LEAST_OFTEN, "instructions retired" },
	{ "cache-references", NULL, HARDWARE(CACHE_REFERENCES), LEAST_SELDOM,
	  "accesses to the last-level cache" },
	{ "cache-misses", NULL, HARDWARE(CACHE_MISSES), LEAST_SELDOM, "last-level cache misses" },
	{ "branches", "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), LEAST_OFTEN,
	  "branches retired" },
	{ "branch-misses", NULL, HARDWARE(BRANCH_MISSES), LEAST_SELDOM, "mispredicted branches" },
	{ "bus-cycles", NULL, HARDWARE(BUS_CYCLES), LEAST_OFTEN, "bus cycles" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND),
	  LEAST_OFTEN, "cycles in which no instruction was issued" },
	{ "stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND),
	  LEAST_OFTEN, "cycles in which no instruction was retired" },
	{ "ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES), LEAST_OFTEN,
	  "cycles at the nominal frequency" },
};

enum { CLOCKS = 2 }; /* the first rows, which count nanoseconds */

/* PERF_TYPE_HW_CACHE: id | operation << 8 | result << 16, spelled CACHE-OPERATION[-RESULT]. */
static const struct {
	const char *name;
	uint64_t id;
} caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "L1-icache", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },	  { "dTLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB },	  { "branch", PERF_COUNT_HW_CACHE_BPU },
	{ "node", PERF_COUNT_HW_CACHE_NODE },
};

static const struct {
	const char *name;
	uint64_t code;
} operations[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ << 8 },
	{ "load-misses", PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE << 8 },
	{ "store-misses",
	  PERF_COUNT_HW_CACHE_OP_WRITE << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 },
	{ "prefetch-misses",
	  PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
};

/* ---- from names ---- */

static bool is_called(size_t row, const char *name)
{
	return strcmp(fixed[row].name, name) == 0 ||
	       (fixed[row].other && strcmp(fixed[row].other, name) == 0);
}

static bool find_fixed(const char *name, struct event_spec *spec)
{
	for (size_t i = 0; i < COUNT_OF(fixed); i++) {
		if (!is_called(i, name))
			continue;
		spec->type = fixed[i].type;
		spec->config = fixed[i].config;
		spec->counts_ns = i < CLOCKS;
		spec->hardware = fixed[i].type == PERF_TYPE_HARDWARE;
		return true;
	}
	return false;
}

static bool find_operation(const char *name, uint64_t *ret_code)
{
	for (size_t i = 0; i < COUNT_OF(operations); i++) {
		if (strcmp(operations[i].name, name) == 0) {
			*ret_code = operations[i].code;
			return true;
		}
	}
	return false;
}

static bool find_cache(const char *name, struct event_spec *spec)
{
	for (size_t i = 0; i < COUNT_OF(caches); i++) {
		size_t length = strlen(caches[i].name);
		uint64_t code;

		if (strncmp(name, caches[i].name, length) != 0 || name[length] != '-' ||
		    !find_operation(name + length + 1, &code))
			continue;
		spec->type = PERF_TYPE_HW_CACHE;
		spec->config = caches[i].id | code;
		spec->hardware = true;
		return true;
	}
	return false;
}

static bool find_raw(const char *name, struct event_spec *spec)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (name[0] != 'r' || digits == 0 || digits > 16 || name[1 + digits])
		return false;
	spec->type = PERF_TYPE_RAW;
	spec->config = strtoull(name + 1, NULL, 16);
	spec->hardware = true;
	return true;
}

bool event_tables_find(const char *name, struct event_spec *spec)
{
	return *name && (find_fixed(name, spec) || find_cache(name, spec) || find_raw(name, spec));
}

const char *event_tables_nearest(const char *name)
{
	const char *nearest = NULL;
	unsigned best = NEAR;

	for (size_t i = 0; i < COUNT_OF(fixed); i++) {
		unsigned distance = text_distance(name, fixed[i].name, best);

		if (distance < best) {
			best = distance;
			nearest = fixed[i].name;
		}
	}
	return nearest;
}

/* ---- to names ---- */

static bool cache_name_of(uint64_t config, char *ret_name, size_t size)
{
	for (size_t i = 0; i < COUNT_OF(caches); i++) {
		for (size_t j = 0; j < COUNT_OF(operations); j++) {
			if ((caches[i].id | operations[j].code) != config)
				continue;
			snprintf(ret_name, size, "%s-%s", caches[i].name, operations[j].name);
			return true;
		}
	}
	return false;
}

bool event_tables_name(uint32_t type, uint64_t config, char *ret_name, size_t size)
{
	for (size_t i = 0; i < COUNT_OF(fixed); i++) {
		if (fixed[i].type == type && fixed[i].config == config) {
			snprintf(ret_name, size, "%s", fixed[i].name);
			return true;
		}
	}
	if (type == PERF_TYPE_HW_CACHE)
		return cache_name_of(config, ret_name, size);
	if (type == PERF_TYPE_RAW)
		snprintf(ret_name, size, "r%" PRIx64, config);
	return type == PERF_TYPE_RAW;
}

static void visit_caches(event_visit visit, void *context)
{
	char name[EVENT_NAME_MAX];

	for (size_t i = 0; i < COUNT_OF(caches); i++) {
		for (size_t j = 0; j < COUNT_OF(operations); j++) {
			const struct event_entry entry = { .name = name,
							   .kind = "cache",
							   .text = "",
							   .masks = "",
							   .type = PERF_TYPE_HW_CACHE,
							   .config = caches[i].id |
								     operations[j].code,
							   .coded = true };

			snprintf(name, sizeof(name), "%s-%s", caches[i].name, operations[j].name);
			visit(context, &entry);
		}
	}
}

void event_tables_each(event_visit visit, void *context)
{
	for (size_t i = 0; i < COUNT_OF(fixed); i++) {
		const struct event_entry entry = {
			.name = fixed[i].name,
			.kind = fixed[i].type == PERF_TYPE_HARDWARE ? "hardware" : "software",
			.text = fixed[i].text,
			.masks = "",
			.type = fixed[i].type,
			.config = fixed[i].config,
			.coded = true,
		};

		visit(context, &entry);
	}
	visit_caches(visit, context);
}

uint64_t event_tables_least_period(const struct event_spec *spec)
{
	for (size_t i = 0; i < COUNT_OF(fixed); i++) {
		if (fixed[i].type == spec->type && fixed[i].config == spec->config)
			return fixed[i].least_period;
	}
	return spec->hardware ? LEAST_SELDOM : 1;
}
