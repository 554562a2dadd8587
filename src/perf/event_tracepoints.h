/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's tracepoints, group:name, as tracefs lists them. */
#ifndef PERF_EVENT_TRACEPOINTS_H
#define PERF_EVENT_TRACEPOINTS_H

#include <stdbool.h>

#include "base/err.h"
#include "perf/event_spec.h"

/* -ENOENT: it is not there, or tracefs is not to be seen; -EINVAL: that cannot be a tracepoint. */
int event_tracepoints_find(const char *group, const char *name, struct event_spec *spec,
			   struct err *err);
/* Why tracepoints are not to be seen, and what to do, as the end of a sentence: -EACCES: this user
 * may not read tracefs; -ENOENT: it is not mounted, or the kernel has none. 0: they can be read. */
int event_tracepoints_hidden(struct err *err);

/* What that follows from; apart for tests. */
struct tracefs_facts {
	bool readable; /* the folder of events is */
	bool mounted;  /* tracefs is, where it belongs */
	bool known;    /* the kernel has it (/proc/filesystems) */
	bool sys;      /* the folder to mount it at is there */
};

int event_tracepoints_explain(const struct tracefs_facts *facts, struct err *err);
/* Nothing is visited where tracefs cannot be read: -EACCES or -ENOENT then, else 0. */
int event_tracepoints_each(event_visit visit, void *context);

#endif
