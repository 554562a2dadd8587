/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf_event_open(2) is asked to count, and how it is told apart from other events. */
#ifndef PERF_EVENT_SPEC_H
#define PERF_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_NAME_MAX = 192, EVENT_UNIT_MAX = 16 };

struct event_spec {
	char name[EVENT_NAME_MAX]; /* as typed, with count and modifiers: they tell events apart */
	uint32_t type;		   /* PERF_TYPE_*, or a PMU's own number */
	uint64_t config, config1, config2;
	bool counts_ns;	 /* cpu-clock and task-clock count nanoseconds, all others events */
	bool hardware;	 /* needs a PMU */
	bool whole_cpus; /* counts what a package or a machine does: not one task's (cpumask) */
	uint64_t period; /* sample at every so many events; 0: by rate, or not at all */
	double rate_hz;	 /* sample at this rate; 0: at the rate of the recording */
	bool exclude_user, exclude_kernel;
	/* Of a counter in other units than events (sysfs NAME.scale, NAME.unit): count x scale is
	 * so many units. 0 and "": plain events. */
	double scale;
	char unit[EVENT_UNIT_MAX];
};

/* An event as it is listed. Texts are borrowed for the call. */
struct event_entry {
	const char *name;  /* as -e takes it */
	const char *kind;  /* "software", "hardware", "cache", "tracepoint", or the PMU's name */
	const char *text;  /* one line; "" when there is none */
	const char *masks; /* unit masks by name, separated by blanks; "" none */
	uint32_t type;
	uint64_t config;
	bool coded; /* type and config are known */
};

typedef void (*event_visit)(void *context, const struct event_entry *entry);

#endif
