/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of processors by the names their makers gave them, with unit masks, from libpfm4:
 *
 *   [PMU::]EVENT[:MASK...][:MODIFIER[=NUMBER]...]
 *
 * The library is loaded when it is needed; without it none of these names is known.
 */
#ifndef PERF_EVENT_LIBRARY_H
#define PERF_EVENT_LIBRARY_H

#include "base/err.h"
#include "perf/event_spec.h"

/* To @spec, but for its name. -ENOENT: no such event; -EINVAL: its unit masks or modifiers are
 * wrong or missing, with the library's reason; -ENOSYS: the library is not installed. */
int event_library_find(const char *name, struct event_spec *spec, struct err *err);
/* The events of the PMUs that are present here; with @all of every PMU the library knows, by
 * "PMU::EVENT". What -e would be without unit masks; their names are the entry's masks, the default
 * one first. -ENOSYS as above. */
int event_library_each(bool all, event_visit visit, void *context);

#endif
