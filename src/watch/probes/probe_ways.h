/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mechanisms that this kernel has, found by trying, and what they cost. */
#ifndef WATCH_PROBES_PROBE_WAYS_H
#define WATCH_PROBES_PROBE_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/probe.h"

/* Up to this many kernel functions use fentry, which costs least per call but attaches slowly. */
enum { PROBE_MAX_FENTRY = 16 };

struct probe_ways {
	bool fentry, kprobe_multi, kprobe, uprobe_multi, uprobe;
};

/* @try_fentry: attaches to a rarely called function, which takes up to 0.2 s if it succeeds.
 * Otherwise .fentry only says that a try is worthwhile: the kernel's types are known. */
struct probe_ways probe_ways_find(bool try_fentry);
/* Only kprobe.multi or, for @user programs, uprobe.multi. */
bool probe_ways_has_multi(bool user);

/* The mechanism that would reach most of @count targets. PROBE_NONE: there is none. */
enum probe_mechanism probe_ways_choose(const struct probe_ways *ways, bool user, size_t count);

/* Usual times. A run is the way from the watched function into the probe's program and back, without
 * the program itself; attaching and detaching is for one target, both ends. */
struct probe_way_cost {
	uint64_t run_ns, attach_ns, detach_ns;
};
/* By table; all 0 for PROBE_NONE. */
const struct probe_way_cost *probe_ways_cost(enum probe_mechanism mechanism);
/* Measures the run of a uprobe on a function of prospect itself, in some ten milliseconds. 0: it
 * cannot be attached. @multi: by uprobe.multi. */
uint64_t probe_ways_measure_ns(bool multi);

#endif
