/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/event_names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define SOFTWARE(name) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##name
#define HARDWARE(name) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name

/* linux/perf_event.h: later than the headers of some distributions. */
enum { SW_CGROUP_SWITCHES = 11 };

/* The names of perf_event_open(2) as perf-list(1) spells them. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} fixed[] = {
	{ "cpu-clock", SOFTWARE(CPU_CLOCK) },
	{ "task-clock", SOFTWARE(TASK_CLOCK) },
	{ "page-faults", SOFTWARE(PAGE_FAULTS) },
	{ "minor-faults", SOFTWARE(PAGE_FAULTS_MIN) },
	{ "major-faults", SOFTWARE(PAGE_FAULTS_MAJ) },
	{ "context-switches", SOFTWARE(CONTEXT_SWITCHES) },
	{ "cpu-migrations", SOFTWARE(CPU_MIGRATIONS) },
	{ "alignment-faults", SOFTWARE(ALIGNMENT_FAULTS) },
	{ "emulation-faults", SOFTWARE(EMULATION_FAULTS) },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES },
	{ "cycles", HARDWARE(CPU_CYCLES) },
	{ "instructions", HARDWARE(INSTRUCTIONS) },
	{ "cache-references", HARDWARE(CACHE_REFERENCES) },
	{ "cache-misses", HARDWARE(CACHE_MISSES) },
	{ "branches", HARDWARE(BRANCH_INSTRUCTIONS) },
	{ "branch-misses", HARDWARE(BRANCH_MISSES) },
	{ "bus-cycles", HARDWARE(BUS_CYCLES) },
	{ "stalled-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND) },
	{ "stalled-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND) },
	{ "ref-cycles", HARDWARE(REF_CPU_CYCLES) },
};

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

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

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

void event_names_of(uint32_t type, uint64_t config, char *ret_name, size_t size)
{
	const uint32_t no_pmu_in_config = UINT32_MAX; /* the upper half names one of several PMUs */

	if (type == PERF_TYPE_HARDWARE)
		config &= no_pmu_in_config;
	for (size_t i = 0; i < COUNT_OF(fixed); i++) {
		if (fixed[i].type == type && fixed[i].config == config) {
			snprintf(ret_name, size, "%s", fixed[i].name);
			return;
		}
	}
	if (type == PERF_TYPE_HW_CACHE && cache_name_of(config, ret_name, size))
		return;
	if (type == PERF_TYPE_RAW)
		snprintf(ret_name, size, "r%" PRIx64, config);
	else
		snprintf(ret_name, size, "%" PRIx32 ":%" PRIx64, type, config);
}

static bool find_fixed(const char *name, struct event_spec *spec)
{
	for (size_t i = 0; i < COUNT_OF(fixed); i++) {
		if (strcmp(fixed[i].name, name) != 0)
			continue;
		spec->type = fixed[i].type;
		spec->config = fixed[i].config;
		spec->counts_ns = i < 2;
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

/* "r" and up to 16 hexadecimal digits, as perf writes raw codes. */
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

static int find_tracepoint(const char *group, const char *name, struct event_spec *spec,
			   struct err *err)
{
	static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[512];
	int64_t id;

	if (strchr(group, '/') || strchr(name, '/') || group[0] == '.' || name[0] == '.')
		return err_set(err, -EINVAL, "'%s:%s' is no tracepoint", group, name);
	for (size_t i = 0; i < COUNT_OF(mounts); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", mounts[i], group, name);
		if (file_read_i64(path, &id) < 0)
			continue;
		spec->type = PERF_TYPE_TRACEPOINT;
		spec->config = (uint64_t)id;
		return 0;
	}
	return err_set(err, -ENOENT,
		       "no tracepoint %s:%s is to be seen; is tracefs mounted and readable? (sudo "
		       "mount -t "
		       "tracefs tracefs /sys/kernel/tracing)",
		       group, name);
}

static int unknown_name(const char *name, struct err *err)
{
	const char *nearest = NULL;
	unsigned best = 4;

	for (size_t i = 0; i < COUNT_OF(fixed); i++) {
		unsigned distance = text_distance(name, fixed[i].name, best);

		if (distance < best) {
			best = distance;
			nearest = fixed[i].name;
		}
	}
	if (nearest)
		return err_set(err, -EINVAL, "'%s' is no event; did you mean %s?", name, nearest);
	return err_set(
		err, -EINVAL,
		"'%s' is no event; known are cpu-clock, page-faults, context-switches, cycles, "
		"instructions ... and tracepoints as group:name",
		name);
}

static bool is_modifier(const char *part)
{
	return *part && strspn(part, "uk") == strlen(part) && strlen(part) <= 2;
}

static bool is_count(const char *part)
{
	return isdigit((unsigned char)part[0]);
}

/* A part behind the name. */
static int take_suffix(const char *part, struct event_spec *spec, struct err *err)
{
	if (is_modifier(part)) {
		spec->exclude_user = !strchr(part, 'u');
		spec->exclude_kernel = !strchr(part, 'k');
		return 0;
	}
	if (is_count(part)) {
		char *end;

		errno = 0;
		spec->period = strtoull(part, &end, 10);
		if (!*end && !errno && spec->period > 0 && spec->period <= INT64_MAX)
			return 0;
	}
	return err_set(err, -EINVAL, "'%s' is neither a count nor u or k", part);
}

/* Cuts @text at its colons. Returns how many parts, at most @most; one more tells of too many. */
static size_t split(char *text, char **parts, size_t most)
{
	size_t count = 0;

	for (char *part = text; part && count <= most; count++) {
		char *colon = strchr(part, ':');

		if (colon)
			*colon++ = '\0';
		if (count < most)
			parts[count] = part;
		part = colon;
	}
	return count;
}

int event_names_parse(const char *text, struct event_spec *ret_spec, struct err *err)
{
	struct event_spec spec = { 0 };
	char copy[EVENT_NAME_MAX], *parts[4] = { 0 };
	size_t count, used = 1;
	int rc = 0;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy) || !text[0])
		return err_set(err, -EINVAL, "'%.40s' is no event", text);
	count = split(copy, parts, COUNT_OF(parts));
	if (count > COUNT_OF(parts))
		return err_set(err, -EINVAL, "'%s': too many colons", text);
	snprintf(spec.name, sizeof(spec.name), "%s", text);
	if (!find_fixed(parts[0], &spec) && !find_cache(parts[0], &spec) &&
	    !find_raw(parts[0], &spec)) {
		if (count < 2 || is_modifier(parts[1]) || is_count(parts[1]))
			return unknown_name(parts[0], err);
		rc = find_tracepoint(parts[0], parts[1], &spec, err);
		used = 2;
	}
	for (; rc == 0 && used < count; used++)
		rc = take_suffix(parts[used], &spec, err);
	if (rc == 0)
		*ret_spec = spec;
	return rc;
}

static bool is_clock(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE && spec->config == PERF_COUNT_SW_CPU_CLOCK;
}

/* The list that is made, and how many fit. */
struct spec_list {
	struct event_spec *specs;
	size_t count, most;
};

static int add_spec(struct spec_list *list, const struct event_spec *spec, struct err *err)
{
	if (strcmp(spec->name, "cpu-clock") == 0)
		return 0;
	if (is_clock(spec) && spec->period)
		return err_set(err, -EINVAL,
			       "'%s': the clock is always sampled, by its rate; use -F for that",
			       spec->name);
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->specs[i].name, spec->name) == 0)
			return err_set(err, -EINVAL, "'%s' is there twice", spec->name);
	}
	if (list->count == list->most)
		return err_set(err, -EINVAL, "at most %zu events at once", list->most);
	list->specs[list->count++] = *spec;
	return 0;
}

static int add_name(struct spec_list *list, const char *name, size_t length, struct err *err)
{
	char copy[EVENT_NAME_MAX];
	struct event_spec spec = { 0 };
	int rc;

	if (!length)
		return err_set(err, -EINVAL, "a name is empty; write -e page-faults,cycles");
	if (length >= sizeof(copy))
		return err_set(err, -EINVAL, "'%.40s...' is no event", name);
	memcpy(copy, name, length);
	copy[length] = '\0';
	rc = event_names_parse(copy, &spec, err);
	return rc < 0 ? rc : add_spec(list, &spec, err);
}

int event_names_parse_list(const char *const *lists, size_t count, struct event_spec *specs,
			   size_t most, size_t *ret_count, struct err *err)
{
	struct spec_list list = { .specs = specs, .most = most };

	for (size_t i = 0; i < count; i++) {
		for (const char *at = lists[i];; at++) {
			size_t length = strcspn(at, ",");
			int rc = add_name(&list, at, length, err);

			if (rc < 0)
				return rc;
			at += length;
			if (!*at)
				break;
		}
	}
	*ret_count = list.count;
	return 0;
}
