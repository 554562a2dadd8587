/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's tracepoints, group:name, as tracefs lists them. */
#ifndef PERF_EVENT_TRACEPOINTS_H
#define PERF_EVENT_TRACEPOINTS_H

#include <stdbool.h>

#include "base/err.h"
#include "perf/event_spec.h"

/* -ENOENT: no such tracepoint, or tracefs is not available; -EINVAL: the name cannot be a
 * tracepoint. */
int event_tracepoints_find(const char *group, const char *name, struct event_spec *spec,
			   struct err *err);
/* Why tracepoints are not available, and what to do, as the end of a sentence. -EACCES: this user
 * may not read tracefs; -ENOENT: tracefs is not mounted, or the kernel has none. 0: they are
 * available. */
int event_tracepoints_hidden(struct err *err);

/* The facts behind that answer; separate for tests. */
struct tracefs_facts {
	bool readable; /* the events folder can be read */
	bool mounted;  /* tracefs is mounted where it belongs */
	bool known;    /* the kernel has tracefs (/proc/filesystems) */
	bool sys;      /* the mount point exists */
};

int event_tracepoints_explain(const struct tracefs_facts *facts, struct err *err);
/* 0, or -EACCES or -ENOENT if tracefs cannot be read; then nothing is visited. */
int event_tracepoints_each(event_visit visit, void *context);

#endif
