/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of /proc and /sys, which hostile processes have a part in. The first byte says which. */
#include <stdlib.h>
#include <string.h>

#include "model/container.h"
#include "perf/cpu_list.h"
#include "proc/cpu_stat.h"
#include "proc/proc_parse.h"
#include "target.h"

enum { SMALL = 16, LARGE = 1024 };

static volatile uint64_t sink;

static void try_stat(char *text, size_t size)
{
	struct proc_stat stat;

	if (proc_parse_stat(text, &stat) == 0)
		sink += strlen(stat.comm);
}

static void try_maps(char *text, size_t size)
{
	struct proc_map map;
	char *line;

	while (text && (line = strsep(&text, "\n")))
		if (proc_parse_map(line, &map) == 0)
			sink += strlen(map.path) + map.end;
}

/* Cut to little, and to much. */
static void try_cgroup(char *text, size_t size)
{
	char *small = malloc(SMALL), *large = malloc(LARGE), *name = malloc(SMALL);

	proc_parse_cgroup(text, small, SMALL);
	proc_parse_cgroup(text, large, LARGE);
	container_of_cgroup(large, name, SMALL);
	container_of_cgroup(text, name, 1);
	sink += strlen(small) + strlen(name);
	free(small);
	free(large);
	free(name);
}

/* comm, executable and command line; each begins after the NUL of the one before it. */
static void try_script(char *text, size_t size)
{
	size_t comm = strlen(text) + 1, executable;
	char *script = malloc(SMALL);

	if (comm <= size) {
		executable = comm + strlen(text + comm) + 1;
		if (executable <= size && proc_parse_may_be_script(text, text + comm))
			proc_parse_script(text + executable, size - executable, text, text + comm,
					  script, SMALL);
	}
	free(script);
}

static void try_deleted(char *text, size_t size)
{
	proc_parse_deleted(text);
}

static void try_cpus(char *text, size_t size)
{
	size_t count;
	int *cpus;

	if (cpu_list_parse(text, &cpus, &count, NULL) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		sink += (unsigned)cpus[i];
	free(cpus);
}

static void try_cpu_stat(char *text, size_t size)
{
	static const int chosen[] = { 0, 2 };
	struct cpu_stat stat, zero = { 0 };

	if (cpu_stat_parse(text, 100, chosen, 2, &stat) < 0 ||
	    cpu_stat_parse(text, 100, NULL, 0, &stat) < 0)
		return;
	zero = cpu_stat_since(&zero, &stat);
	sink += cpu_stat_busy(&stat) + cpu_stat_sum(&zero);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static void (*const kinds[])(char *text, size_t size) = {
		['s'] = try_stat,    ['m'] = try_maps, ['g'] = try_cgroup,   ['c'] = try_script,
		['d'] = try_deleted, ['l'] = try_cpus, ['t'] = try_cpu_stat,
	};
	char *text;

	if (size == 0 || bytes[0] >= sizeof(kinds) / sizeof(*kinds) || !kinds[bytes[0]])
		return 0;
	text = malloc(size);
	if (!text)
		abort();
	memcpy(text, bytes + 1, size - 1);
	text[size - 1] = '\0';
	kinds[bytes[0]](text, size - 1);
	free(text);
	return 0;
}
