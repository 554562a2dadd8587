/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's tracepoints, group:name, as tracefs lists them. */
#ifndef COLLECT_EVENT_TRACEPOINTS_H
#define COLLECT_EVENT_TRACEPOINTS_H

#include "base/err.h"
#include "collect/event_spec.h"

/* -ENOENT: it is not there, or tracefs is not to be seen; -EINVAL: that cannot be a tracepoint. */
int event_tracepoints_find(const char *group, const char *name, struct event_spec *spec,
			   struct err *err);
/* Nothing is visited where tracefs cannot be read: -EACCES or -ENOENT then, else 0. */
int event_tracepoints_each(event_visit visit, void *context);

#endif
