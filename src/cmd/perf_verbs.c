/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/perf_verbs.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *verb, *equivalent;
} verbs[] = {
	{ "bench", "'prospect count -r 10 COMMAND'" },
	{ "buildid-cache", "'prospect archive'" },
	{ "buildid-list", "'prospect query \"SELECT path, hex(build_id) FROM image\"'" },
	{ "c2c", "'prospect record -e cache-misses COMMAND'" },
	{ "config", "the environment: 'man prospect'" },
	{ "daemon", "'prospect start'" },
	{ "data", "'prospect import perf.data'" },
	{ "evlist", "'prospect report -V2'" },
	{ "ftrace", "'prospect watch FUNCTION'" },
	{ "inject", "'prospect import perf.data'" },
	{ "iostat", "'prospect --off-cpu COMMAND'" },
	{ "kallsyms", "'prospect watch --list FUNCTION'" },
	{ "kmem", "'prospect count -a -e kmem:kmalloc,kmem:kfree'" },
	{ "kvm", "'prospect record -a -e kvm:kvm_exit'" },
	{ "kwork", "'prospect count -a -e workqueue:workqueue_execute_start'" },
	{ "lock", "'prospect --off-cpu COMMAND'" },
	{ "mem", "'prospect record -e cache-misses COMMAND'" },
	{ "probe", "'prospect watch FILE:FUNCTION'" },
	{ "sched", "'prospect --off-cpu COMMAND'" },
	{ "script", "'prospect export --format perf-script'" },
	{ "stat", "'prospect count COMMAND'" },
	{ "test", "'prospect check'" },
	{ "timechart", "'prospect heatmap'" },
	{ "top", "'prospect record -a --duration 5', then 'prospect report'" },
	{ "trace", "'prospect watch \"__*64_sys_*\"'" },
	{ "version", "'prospect --version'" },
};

const char *perf_verb_equivalent(const char *word)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].verb, word) == 0)
			return verbs[i].equivalent;
	}
	return NULL;
}
