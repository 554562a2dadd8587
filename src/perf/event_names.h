/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events by name, to what perf_event_open(2) wants:
 *
 *   NAME[:u|:k|:uk][@COUNT|@RATEhz]
 *
 * NAME is one of
 *   a software, hardware or cache event, or a raw code   page-faults, cycles, r01c2
 *   a tracepoint                                         sched:sched_switch
 *   an event of a PMU that sysfs describes               cpu/event=0x3c,umask=1/
 *   a processor's own event, with unit masks (libpfm4)   skl::INST_RETIRED:ANY_P
 *
 * u and k restrict it to user or kernel mode. Sampling is at every COUNT events (also written
 * NAME:COUNT, as OProfile did), or at so many samples per second, or else at the rate asked for.
 */
#ifndef PERF_EVENT_NAMES_H
#define PERF_EVENT_NAMES_H

#include "base/err.h"
#include "perf/event_spec.h"

/* -EINVAL with the nearest name for what is none; -ENOENT for a tracepoint or PMU that is not there
 * or when tracefs is not mounted. Whether this machine can count it shows only when it is opened.
 */
int event_names_parse(const char *text, struct event_spec *ret_spec, struct err *err);

/* The events of @count comma lists, in their order, to @specs, which has room for @most. A glob
 * such as sched:sched_switch* stands for all tracepoints that fit; -ENOENT: there are none.
 * "cpu-clock" alone is left out: the clock is always sampled. -EINVAL for an empty or unknown name,
 * one that is there twice, a clock with a count, a count that could stop the machine, a group, and
 * more than @most; else as event_names_parse. On failure *ret_count is untouched, and what is in
 * @specs means nothing. */
int event_names_parse_list(const char *const *lists, size_t count, struct event_spec *specs,
			   size_t most, size_t *ret_count, struct err *err);

/* The same for counting: any event as often as wanted, and "{A,B}[:u|:k]" for those that are to be
 * counted at the same times. @groups has room for @most numbers: 0, or which group the event is in,
 * from 1. -EINVAL for a count or a rate, which are for sampling. */
int event_names_parse_groups(const char *const *lists, size_t count, struct event_spec *specs,
			     unsigned *groups, size_t most, size_t *ret_count, struct err *err);

/* The name of what was counted, without count and modifiers, of @size bytes (> 0): that of the
 * tables, else "r1c2" or "TYPE:CONFIG" in hex. */
void event_names_of(uint32_t type, uint64_t config, char *ret_name, size_t size);

/* Everything that can be named here, in the order of the kinds above. Where tracepoints or the
 * library's names cannot be had, why is put into the errs; "" where they could. */
void event_names_each(event_visit visit, void *context, struct err *ret_no_tracepoints,
		      struct err *ret_no_library);

#endif
