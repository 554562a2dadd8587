/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the PMUs that the kernel describes in sysfs (Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-format and -events):
 *
 *   PMU/TERM[=NUMBER],.../
 *
 * A term is one of PMU's events, a field of its format (alone: 1), or config, config1, config2 as a
 * whole. One of its events may also be given by its bare name.
 */
#ifndef PERF_EVENT_PMUS_H
#define PERF_EVENT_PMUS_H

#include "base/err.h"
#include "perf/event_spec.h"

/* Where the kernel has them. */
#define EVENT_PMUS_FOLDER "/sys/bus/event_source/devices"

/* What is between the slashes of PMU/@terms/, to @spec, but for its name. -ENOENT: no such PMU;
 * -EINVAL: no such term. @folder: EVENT_PMUS_FOLDER, or one like it. */
int event_pmus_find(const char *folder, const char *pmu, const char *terms, struct event_spec *spec,
		    struct err *err);
/* An event by its bare name, of whichever PMU has it. -ENOENT: none has. */
int event_pmus_find_bare(const char *folder, const char *name, struct event_spec *spec);
void event_pmus_each(const char *folder, event_visit visit, void *context);
/* The name of the PMU with this number. false: it is not known. */
bool event_pmus_name(const char *folder, uint32_t type, char *ret_name, size_t size);

/* The CPUs on which events of this type are to be opened when they count what more than a CPU does
 * (cpumask), as cpu_list_parse reads them, of @size bytes. false: on any. */
bool event_pmus_cpus(const char *folder, uint32_t type, char *ret_list, size_t size);

#endif
