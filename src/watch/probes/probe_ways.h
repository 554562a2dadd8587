/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By which mechanisms this kernel lets functions be reached, found by trying. */
#ifndef WATCH_PROBES_PROBE_WAYS_H
#define WATCH_PROBES_PROBE_WAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/probe.h"

/* Up to so many functions of the kernel are reached by fentry, whose calls cost least, but which is
 * slow to attach. */
enum { PROBE_MAX_FENTRY = 16 };

struct probe_ways {
	bool fentry, kprobe_multi, kprobe, uprobe_multi, uprobe;
};

/* @try_fentry: attaches to a function that hardly anybody calls, which takes up to 0.2 s where it
 * succeeds. Else .fentry only says that it is worth a try: the kernel's types are known. */
struct probe_ways probe_ways_find(bool try_fentry);

/* The one by which most of @count targets would be reached. PROBE_NONE: there is none. */
enum probe_mechanism probe_ways_choose(const struct probe_ways *ways, bool user, size_t count);

#endif
