/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out by trying which mechanisms this kernel has. */
#ifndef WATCH_PROBES_PROBE_WAYS_H
#define WATCH_PROBES_PROBE_WAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/probe.h"

/* Up to this many kernel functions use fentry, which costs least per call but attaches slowly. */
enum { PROBE_MAX_FENTRY = 16 };

struct probe_ways {
	bool fentry, kprobe_multi, kprobe, uprobe_multi, uprobe;
};

/* @try_fentry: attaches to a rarely called function, which takes up to 0.2 s if it succeeds.
 * Otherwise .fentry only says that a try is worthwhile: the kernel's types are known. */
struct probe_ways probe_ways_find(bool try_fentry);

/* The mechanism that would reach most of @count targets. PROBE_NONE: there is none. */
enum probe_mechanism probe_ways_choose(const struct probe_ways *ways, bool user, size_t count);

#endif
