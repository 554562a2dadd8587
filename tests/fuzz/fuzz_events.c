/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of events, and what sysfs says of the counters. The first byte says which: a
 * list for sampling, a list with groups for counting, a list of CPUs, or a PMU: lines of what is
 * asked of it, its number, the layouts of its fields "event" and "mask", its events "hit" and
 * "hit.scale" and "hit.unit".
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz_folder.h"
#include "perf/cpu_list.h"
#include "perf/event_names.h"
#include "perf/event_sources.h"
#include "target.h"

enum { MOST_EVENTS = 32, PATH_BYTES = 160 };

static volatile uint64_t sink;

static void use(const struct event_spec *spec)
{
	char name[EVENT_NAME_MAX];

	event_names_of(spec->type, spec->config, name, sizeof(name));
	sink += strlen(spec->name) + strlen(spec->unit) + strlen(name);
}

static void try_list(char *text)
{
	static struct event_spec specs[MOST_EVENTS];
	const char *lists[] = { text };
	size_t count;
	struct err err;

	if (event_names_parse_list(lists, 1, specs, MOST_EVENTS, &count, &err) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		use(&specs[i]);
}

static void try_groups(char *text)
{
	static struct event_spec specs[MOST_EVENTS];
	static unsigned groups[MOST_EVENTS];
	const char *lists[] = { text };
	size_t count;
	struct err err;

	if (event_names_parse_groups(lists, 1, specs, groups, MOST_EVENTS, &count, &err) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (groups[i] > count)
			abort();
		use(&specs[i]);
	}
}

static void try_cpus(char *text)
{
	size_t count;
	struct err err;
	int *cpus;

	if (cpu_list_parse(text, &cpus, &count, &err) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (cpus[i] < 0 || cpus[i] >= CPU_LIST_MAX)
			abort();
	}
	free(cpus);
}

static void visit(void *context, const struct event_entry *entry)
{
	sink += strlen(entry->name) + strlen(entry->text) + strlen(entry->masks);
}

static void make_folders(const char *folder)
{
	static const char *const parts[] = { "", "/box", "/box/format", "/box/events" };
	char path[PATH_BYTES];

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		snprintf(path, sizeof(path), "%s%s", folder, parts[i]);
		mkdir(path, 0700);
	}
}

static void try_pmu(char *text)
{
	static const char *const files[] = { "type",	   "format/event",     "format/mask",
					     "events/hit", "events/hit.scale", "events/hit.unit",
					     "cpumask" };
	char *terms = strsep(&text, "\n"), folder[PATH_BYTES], path[PATH_BYTES + 32];
	struct event_spec spec = { .type = 0 };
	struct err err;

	snprintf(folder, sizeof(folder), "%s/devices", fuzz_folder());
	make_folders(folder);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *line = text ? strsep(&text, "\n") : "";

		snprintf(path, sizeof(path), "%s/box/%s", folder, files[i]);
		fuzz_folder_write(path, line, strlen(line));
	}
	if (event_pmus_find(folder, "box", terms, &spec, &err) == 0) {
		sink += strlen(spec.unit);
		event_pmus_name(folder, spec.type, path, sizeof(path));
		event_pmus_cpus(folder, spec.type, path, sizeof(path));
	}
	event_pmus_find_bare(folder, "hit", &spec);
	event_pmus_each(folder, visit, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static void (*const kinds[])(char *text) = {
		['l'] = try_list, ['g'] = try_groups, ['c'] = try_cpus, ['p'] = try_pmu
	};
	char *text;

	if (size == 0 || bytes[0] >= sizeof(kinds) / sizeof(*kinds) || !kinds[bytes[0]])
		return 0;
	text = strndup((const char *)bytes + 1, size - 1);
	if (!text)
		abort();
	kinds[bytes[0]](text);
	free(text);
	return 0;
}
