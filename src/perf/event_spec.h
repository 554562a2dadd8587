/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event: the attributes for perf_event_open(2), and the name that tells it from other events. */
#ifndef PERF_EVENT_SPEC_H
#define PERF_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_NAME_MAX = 192, EVENT_UNIT_MAX = 16 };

struct event_spec {
	char name[EVENT_NAME_MAX]; /* as typed; count and modifiers tell events apart */
	uint32_t type;		   /* PERF_TYPE_*, or a PMU's own number */
	uint64_t config, config1, config2;
	bool counts_ns;	 /* cpu-clock and task-clock count nanoseconds, all others events */
	bool hardware;	 /* needs a PMU */
	bool whole_cpus; /* counts for a package or the machine, not for a task (cpumask) */
	uint64_t period; /* sample every so many events; 0: by rate, or not at all */
	double rate_hz;	 /* sample at this rate; 0: at the rate of the recording */
	bool exclude_user, exclude_kernel;
	/* For a counter whose unit is not events (sysfs NAME.scale, NAME.unit): count * scale is
	 * the number of units. 0 and "": plain events. */
	double scale;
	char unit[EVENT_UNIT_MAX];
};

/* An event in a listing. Texts are borrowed for the call. */
struct event_entry {
	const char *name;  /* as -e takes it */
	const char *kind;  /* "software", "hardware", "cache", "tracepoint", or the PMU's name */
	const char *text;  /* one line; "" when there is none */
	const char *masks; /* unit masks by name, separated by blanks; "" if none */
	uint32_t type;
	uint64_t config;
	bool coded; /* type and config are known */
};

typedef void (*event_visit)(void *context, const struct event_entry *entry);

#endif
