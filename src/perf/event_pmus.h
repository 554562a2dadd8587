/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the PMUs that the kernel describes in sysfs (Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-format and -events):
 *
 *   PMU/TERM[=NUMBER],.../
 *
 * A term is one of the PMU's events, a field of its format (1 if no number follows), or a whole
 * config, config1 or config2. The bare name of an event also works.
 */
#ifndef PERF_EVENT_PMUS_H
#define PERF_EVENT_PMUS_H

#include "base/err.h"
#include "perf/event_spec.h"

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

#endif
