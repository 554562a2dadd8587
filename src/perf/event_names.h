/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From event names to the attributes of perf_event_open(2):
 *
 *   NAME[:u|:k|:uk][@COUNT|@RATEhz]
 *
 * NAME is one of
 *   a software, hardware or cache event, or a raw code   page-faults, cycles, r01c2
 *   a tracepoint                                         sched:sched_switch
 *   an event of a PMU that sysfs describes               cpu/event=0x3c,umask=1/
 *   a processor's own event, with unit masks (libpfm4)   skl::INST_RETIRED:ANY_P
 *
 * u and k restrict the event to user or kernel mode. It is sampled every COUNT events (also written
 * NAME:COUNT, as in OProfile), or at RATE samples per second, or else at the recording's rate.
 */
#ifndef PERF_EVENT_NAMES_H
#define PERF_EVENT_NAMES_H

#include "base/err.h"
#include "perf/event_sources.h"

/* -EINVAL for an unknown name, with the nearest known one; -ENOENT for a missing tracepoint or PMU,
 * or if tracefs is not mounted. Only opening the event shows whether this machine can count it. */
int event_names_parse(const char *text, struct event_spec *ret_spec, struct err *err);

/*
 * Parses @count comma-separated lists into @specs, in order; @most is its capacity. A glob such as
 * sched:sched_switch* stands for all matching tracepoints; -ENOENT if none matches. "cpu-clock"
 * alone is left out, because the clock is always sampled. -EINVAL for
 *   - an empty or unknown name
 *   - an event that is listed twice
 *   - a clock with a count
 *   - a count so small that it could stop the machine
 *   - a group
 *   - more than @most events
 * Other errors as event_names_parse. On failure *ret_count is untouched and @specs is undefined.
 */
int event_names_parse_list(const char *const *lists, size_t count, struct event_spec *specs,
			   size_t most, size_t *ret_count, struct err *err);

/* The same for counting. An event may be listed more than once, and "{A,B}[:u|:k]" is a group that
 * is counted together. @groups has @most entries: the number of the event's group, from 1, or 0 for
 * none. -EINVAL for a count or a rate, which only sampling has. */
int event_names_parse_groups(const char *const *lists, size_t count, struct event_spec *specs,
			     unsigned *groups, size_t most, size_t *ret_count, struct err *err);

/* The name of an event from its attributes, without count and modifiers: from the tables, else
 * "r1c2" or "TYPE:CONFIG" in hex. @size: bytes of @ret_name (> 0). */
void event_names_of(uint32_t type, uint64_t config, char *ret_name, size_t size);

/* Visits every event that can be named here, in the order of the kinds above. If tracepoints or the
 * library's events are not available, the matching err says why; otherwise it is "". */
void event_names_each(event_visit visit, void *context, struct err *ret_no_tracepoints,
		      struct err *ret_no_library);

#endif
