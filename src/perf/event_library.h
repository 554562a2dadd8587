/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processor events by their vendors' names, with unit masks, from libpfm4:
 *
 *   [PMU::]EVENT[:MASK...][:MODIFIER[=NUMBER]...]
 *
 * The library is loaded on first use. Without it, none of these names is known.
 */
#ifndef PERF_EVENT_LIBRARY_H
#define PERF_EVENT_LIBRARY_H

#include "base/err.h"
#include "perf/event_spec.h"

/* Fills @spec except its name. -ENOENT: no such event; -EINVAL: wrong or missing unit masks or
 * modifiers, with the library's reason; -ENOSYS: the library is not installed. */
int event_library_find(const char *name, struct event_spec *spec, struct err *err);
/* Visits the events of the PMUs present on this machine; with @all, those of every PMU the library
 * knows, as "PMU::EVENT". An entry has the code that -e uses without unit masks, and the masks'
 * names, the default one first. -ENOSYS as above. */
int event_library_each(bool all, event_visit visit, void *context);

#endif
