/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events by the names the kernel and perf(1) have for them, to what perf_event_open(2) wants:
 *
 *   NAME[:COUNT][:u|:k|:uk]
 *
 * NAME is a software event (page-faults), a generic hardware or cache event (cycles,
 * LLC-load-misses), a raw code (r01c2) or a tracepoint (sched:sched_switch). COUNT samples every
 * COUNT events instead of at the rate asked for; u and k restrict to user or kernel mode.
 */
#ifndef COLLECT_EVENT_NAMES_H
#define COLLECT_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { EVENT_NAME_MAX = 128 };

struct event_spec {
	char name[EVENT_NAME_MAX]; /* as typed, without the count */
	uint32_t type;		   /* PERF_TYPE_* */
	uint64_t config;
	bool counts_ns;	 /* cpu-clock and task-clock count nanoseconds, all others events */
	bool hardware;	 /* needs a PMU */
	uint64_t period; /* 0: by rate */
	bool exclude_user, exclude_kernel;
};

/* -EINVAL with the nearest name for what is none; -ENOENT for a tracepoint that is not there or
 * when tracefs is not mounted. Whether this machine can count it shows only when it is opened. */
int event_names_parse(const char *text, struct event_spec *ret_spec, struct err *err);

/* Calls @visit with every fixed name of the table, in its order. */
void event_names_each(void (*visit)(void *context, const char *name, const char *text),
		      void *context);

#endif
