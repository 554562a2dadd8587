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
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { EVENT_NAME_MAX = 128 };

struct event_spec {
	char name[EVENT_NAME_MAX]; /* as typed, with count and modifiers: they tell events apart */
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

/* The events of @count comma lists, in their order, to @specs, which has room for @most.
 * "cpu-clock" alone is left out: the clock is always sampled. -EINVAL for an empty or unknown name,
 * one that is there twice, a clock with a count, and more than @most; else as event_names_parse. On
 * failure *ret_count is untouched, and what is in @specs means nothing. */
int event_names_parse_list(const char *const *lists, size_t count, struct event_spec *specs,
			   size_t most, size_t *ret_count, struct err *err);

/* The name of what was counted, without count and modifiers, of @size bytes (> 0): that of the
 * tables, else "r1c2" or "TYPE:CONFIG" in hex. */
void event_names_of(uint32_t type, uint64_t config, char *ret_name, size_t size);

#endif
