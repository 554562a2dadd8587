/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event: the attributes for perf_event_open(2), and the name that tells it from other events;
 * and what knows events by name, each in the file of its prefix: tables, PMUs, tracepoints, a library.
 */
#ifndef PERF_EVENT_SOURCES_H
#define PERF_EVENT_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

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

/* The events that every kernel has a number for, by the names of perf-list(1). */

/* Finds software, hardware and cache events by name or alias, and raw codes ("r" and up to 16
 * hexadecimal digits). Fills @spec except its name. False if there is no such event. */
bool event_tables_find(const char *name, struct event_spec *spec);
/* The name of an event without modifiers, in @size bytes (> 0). False if it has none. */
bool event_tables_name(uint32_t type, uint64_t config, char *ret_name, size_t size);
/* The name that @name may be a misspelling of; NULL if none is near. */
const char *event_tables_nearest(const char *name);
void event_tables_each(event_visit visit, void *context);

/* The smallest count to sample at; a smaller one could stop the machine with interrupts. 1 for
 * software events and tracepoints. The figures are those of OProfile's event lists. */
uint64_t event_tables_least_period(const struct event_spec *spec);

/*
 * Events of the PMUs that the kernel describes in sysfs (Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-format and -events):
 *
 *   PMU/TERM[=NUMBER],.../
 *
 * A term is one of the PMU's events, a field of its format (1 if no number follows), or a whole
 * config, config1 or config2. The bare name of an event also works.
 */

/* Where the kernel lists its PMUs. */
#define EVENT_PMUS_FOLDER "/sys/bus/event_source/devices"

/* @terms is the text between the slashes of PMU/TERMS/. Fills @spec except its name. -ENOENT: no
 * such PMU; -EINVAL: no such term. @folder: EVENT_PMUS_FOLDER, or one like it. */
int event_pmus_find(const char *folder, const char *pmu, const char *terms, struct event_spec *spec,
		    struct err *err);
/* An event by its bare name, from any PMU that has it. -ENOENT: none has. */
int event_pmus_find_bare(const char *folder, const char *name, struct event_spec *spec);
void event_pmus_each(const char *folder, event_visit visit, void *context);
/* The name of the PMU with this number. False if unknown. */
bool event_pmus_name(const char *folder, uint32_t type, char *ret_name, size_t size);

/* The CPUs on which to open events of a PMU that counts for more than one CPU (its cpumask), as
 * text for cpu_list_parse, in @size bytes. False: on any CPU. */
bool event_pmus_cpus(const char *folder, uint32_t type, char *ret_list, size_t size);

/* The kernel's tracepoints, group:name, as tracefs lists them. */

/* -ENOENT: no such tracepoint, or tracefs is not available; -EINVAL: the name cannot be a
 * tracepoint. */
int event_tracepoints_find(const char *group, const char *name, struct event_spec *spec,
			   struct err *err);
/* Why tracepoints are not available, and what to do, as the end of a sentence. -EACCES: this user
 * may not read tracefs; -ENOENT: tracefs is not mounted, or the kernel has none. 0: they are
 * available. */
int event_tracepoints_hidden(struct err *err);

/* What event_tracepoints_hidden decides from; separate for tests. */
struct tracefs_facts {
	bool readable; /* the events folder can be read */
	bool mounted;  /* tracefs is mounted where it belongs */
	bool known;    /* the kernel has tracefs (/proc/filesystems) */
	bool sys;      /* the mount point exists */
};

int event_tracepoints_explain(const struct tracefs_facts *facts, struct err *err);
/* 0, or -EACCES or -ENOENT if tracefs cannot be read; then nothing is visited. */
int event_tracepoints_each(event_visit visit, void *context);

/*
 * Processor events by their vendors' names, with unit masks, from libpfm4:
 *
 *   [PMU::]EVENT[:MASK...][:MODIFIER[=NUMBER]...]
 *
 * The library is loaded on first use. Without it, none of these names is known.
 */

/* Fills @spec except its name. -ENOENT: no such event; -EINVAL: wrong or missing unit masks or
 * modifiers, with the library's reason; -ENOSYS: the library is not installed. */
int event_library_find(const char *name, struct event_spec *spec, struct err *err);
/* Visits the events of the PMUs present on this machine; with @all, those of every PMU the library
 * knows, as "PMU::EVENT". An entry has the code that -e uses without unit masks, and the masks'
 * names, the default one first. -ENOSYS as above. */
int event_library_each(bool all, event_visit visit, void *context);

#endif
